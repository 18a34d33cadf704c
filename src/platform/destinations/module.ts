import type { Room } from '../../core/module.ts'
import { destinationRefusals } from './refusals.ts'

export const destinations: Room = { refusals: destinationRefusals }
