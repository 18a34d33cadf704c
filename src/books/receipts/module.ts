import type { Room } from '../../core/module.ts'
import { receiptChecks } from './verify.ts'

export const receipts: Room = { checks: receiptChecks }
