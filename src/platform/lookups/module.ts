import type { Module } from '../../core/module.ts'
import { lookupRefusals } from './refusals.ts'
import { lookupRoutes } from './routes.ts'

export const lookups = { routes: lookupRoutes, refusals: lookupRefusals } satisfies Module
