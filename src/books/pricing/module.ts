import type { Room } from '../../core/module.ts'
import { priceRefusals } from './refusals.ts'

export const pricing: Room = { refusals: priceRefusals }
