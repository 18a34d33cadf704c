import type { Module } from '../../core/module.ts'
import { destinationRefusals } from './refusals.ts'

export const destinations = { refusals: destinationRefusals } satisfies Module
