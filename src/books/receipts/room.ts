import type { Room } from '../../core/room.ts'
import { receiptChecks } from './verify.ts'

export const receipts: Room = { checks: receiptChecks }
