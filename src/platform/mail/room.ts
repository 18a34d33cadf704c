import type { Room } from '../../core/room.ts'
import { mailRefusals } from './refusals.ts'

export const mail: Room = { refusals: mailRefusals }
