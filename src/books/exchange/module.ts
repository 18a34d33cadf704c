import type { Room } from '../../core/module.ts'
import { exchangeRefusals } from './refusals.ts'

export const exchange: Room = { refusals: exchangeRefusals }
