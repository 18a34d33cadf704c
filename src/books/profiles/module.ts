import type { Module } from '../../core/module.ts'
import { profileRoutes } from './routes.ts'

export const profiles = { routes: profileRoutes } satisfies Module
