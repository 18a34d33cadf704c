import type { Room } from '../../core/room.ts'
import { sealedKeys } from './sql.ts'

export const customerKeys: Room = { sealed: [sealedKeys] }
