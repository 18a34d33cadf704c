import type { Module } from '../../core/module.ts'
import { checkoutRefusals } from './refusals.ts'
import { checkoutRoutes } from './routes.ts'

export const checkout = { routes: checkoutRoutes, refusals: checkoutRefusals } satisfies Module
