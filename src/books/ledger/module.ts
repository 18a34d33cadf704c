import type { Module } from '../../core/module.ts'
import { ledgerChecks } from './verify.ts'

export const ledger = { checks: ledgerChecks } satisfies Module
