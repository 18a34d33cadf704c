import type { Module } from '../../core/module.ts'
import { lookupRefusals } from './refusals.ts'
import { lookupRoutes } from './routes.ts'

export const lookups: Module = { routes: lookupRoutes, refusals: lookupRefusals }
