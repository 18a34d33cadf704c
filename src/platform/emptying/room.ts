import type { Room } from '../../core/room.ts'
import { emptyingOperations } from './routes.ts'

export const emptying: Room = { ofPeople: emptyingOperations }
