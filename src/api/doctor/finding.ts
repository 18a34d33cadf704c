import type { App } from '../../core/app.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'

/**
 * What can be looked at without a database. `url`: where the server is reached, as far as the
 * settings say.
 */
export type Settings = { config: Config; clock: Clock; url: string }

/** @param evmWarnings what the stablecoin rail warns of */
export type Installation = {
  app: App
  evmWarnings(): Promise<string[]>
  heldWarnings(): Promise<string[]>
}

export type Level = 'ok' | 'warn' | 'fail'

/** What a check found. `todo`: what a person does about it; null where nothing is to be done. */
export type Finding = { check: string; level: Level; found: string; todo: string | null }

export const ok = (check: string, found: string): Finding => ({
  check,
  level: 'ok',
  found,
  todo: null,
})

/** Works, and should be looked at. */
export const warn = (check: string, found: string, todo: string): Finding => ({
  check,
  level: 'warn',
  found,
  todo,
})

/** Does not work, or will stop to. */
export const fail = (check: string, found: string, todo: string): Finding => ({
  check,
  level: 'fail',
  found,
  todo,
})
