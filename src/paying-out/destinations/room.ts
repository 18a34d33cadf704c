import type { Room } from '../../core/room.ts'
import { destinationRefusals } from './refusals.ts'

export const destinations: Room = { refusals: destinationRefusals }
