import type { Module } from '../../core/module.ts'
import { receiptChecks } from './verify.ts'

export const receipts: Module = { checks: receiptChecks }
