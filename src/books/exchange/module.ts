import type { Module } from '../../core/module.ts'
import { exchangeRefusals } from './refusals.ts'

export const exchange = { refusals: exchangeRefusals } satisfies Module
