import type { Room } from '../../core/room.ts'
import { exchangeRefusals } from './refusals.ts'

export const exchange: Room = { refusals: exchangeRefusals }
