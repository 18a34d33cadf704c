import type { Module } from '../../core/module.ts'
import { emptyingTask } from './emptying.ts'
import { emptyingOperations } from './routes.ts'

export const emptying = {
  ofPeople: emptyingOperations,
  periodic: (app) => [emptyingTask(app)],
} satisfies Module
