import type { Module } from '../../core/module.ts'
import { emptyingOperations } from './routes.ts'

export const emptying = { ofPeople: emptyingOperations } satisfies Module
