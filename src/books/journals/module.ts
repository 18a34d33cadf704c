import type { Module } from '../../core/module.ts'
import { journalRefusals } from './refusals.ts'
import { journalRoutes } from './routes.ts'

export const journals = { routes: journalRoutes, refusals: journalRefusals } satisfies Module
