import type { App } from '../../core/app.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'

/** Inputs of checks without a database. `url`: the server's address by its settings. */
export type Settings = { config: Config; clock: Clock; url: string }

/** @param evmWarnings warnings of the stablecoin rail */
export type Installation = {
  app: App
  evmWarnings(): Promise<string[]>
  heldWarnings(): Promise<string[]>
}

export type Level = 'ok' | 'warn' | 'fail'

/** The result of a check. `todo`: what a person must do; null if nothing. */
export type Finding = { check: string; level: Level; found: string; todo: string | null }

export const ok = (check: string, found: string): Finding => ({
  check,
  level: 'ok',
  found,
  todo: null,
})

/** It works, but a person should check it. */
export const warn = (check: string, found: string, todo: string): Finding => ({
  check,
  level: 'warn',
  found,
  todo,
})

/** It does not work, or will stop working. */
export const fail = (check: string, found: string, todo: string): Finding => ({
  check,
  level: 'fail',
  found,
  todo,
})
