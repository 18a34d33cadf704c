import type { Actor } from '../../core/app.ts'

/** Who decided, and what that person wrote. */
export type Decider = { by: string; note: string | null }

/**
 * Who acts, as it is kept.
 * @param by the name that a command was given
 */
export function deciderOf(actor: Actor | undefined, by?: string): string {
  if (actor?.type === 'person') return actor.id
  if (actor?.type === 'operator' && actor.key) return `the operator’s key ${actor.key.hint}`
  return by ?? 'A command'
}
