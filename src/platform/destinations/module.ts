import type { Module } from '../../core/module.ts'
import { destinationRefusals } from './refusals.ts'

export const destinations: Module = { refusals: destinationRefusals }
