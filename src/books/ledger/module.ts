import type { Module } from '../../core/module.ts'
import { ledgerChecks } from './verify.ts'

export const ledger: Module = { checks: ledgerChecks }
