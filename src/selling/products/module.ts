import type { Module } from '../../core/module.ts'
import { productRefusals } from './refusals.ts'
import { productRoutes } from './routes.ts'
import { productTimeline } from './timeline.ts'

export const products = {
  routes: productRoutes,
  refusals: productRefusals,
  timelines: [productTimeline],
} satisfies Module
