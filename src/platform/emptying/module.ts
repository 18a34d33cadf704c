import type { Room } from '../../core/module.ts'
import { emptyingOperations } from './routes.ts'

export const emptying: Room = { ofPeople: emptyingOperations }
