import type { Module } from '../../core/module.ts'
import { receiptChecks } from './verify.ts'

export const receipts = { checks: receiptChecks } satisfies Module
