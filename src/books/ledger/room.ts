import type { Room } from '../../core/room.ts'
import { ledgerChecks } from './verify.ts'

export const ledger: Room = { checks: ledgerChecks }
