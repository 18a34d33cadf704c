import type { Room } from '../../core/room.ts'
import { priceRefusals } from './refusals.ts'

export const pricing: Room = { refusals: priceRefusals }
