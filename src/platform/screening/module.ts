import type { Module } from '../../core/module.ts'
import { personalReviews } from './personal.ts'
import { screeningRefusals } from './refusals.ts'
import { screeningRoutes } from './routes.ts'

export const screening = {
  ofOperator: screeningRoutes,
  personal: [personalReviews],
  refusals: screeningRefusals,
} satisfies Module
