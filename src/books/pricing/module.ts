import type { Module } from '../../core/module.ts'
import { priceRefusals } from './refusals.ts'

export const pricing: Module = { refusals: priceRefusals }
