import type { Module } from '../../core/module.ts'
import { priceRefusals } from './refusals.ts'

export const pricing = { refusals: priceRefusals } satisfies Module
