import type { Room } from '../../core/module.ts'
import { ledgerChecks } from './verify.ts'

export const ledger: Room = { checks: ledgerChecks }
