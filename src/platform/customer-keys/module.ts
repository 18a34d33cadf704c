import type { Room } from '../../core/module.ts'
import { sealedKeys } from './sql.ts'

export const customerKeys: Room = { sealed: [sealedKeys] }
