import type { Module } from '../../core/module.ts'
import { clockRoutes } from './routes.ts'

export const clock = { routes: clockRoutes } satisfies Module
