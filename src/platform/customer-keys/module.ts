import type { Module } from '../../core/module.ts'
import { sealedKeys } from './sql.ts'

export const customerKeys = { sealed: [sealedKeys] } satisfies Module
