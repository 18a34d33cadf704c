import type { Actor } from '../../core/app.ts'

/** Who decided, and what that person wrote. */
export type Decider = { by: string; note: string | null }

/** Names the actor of a decision as its record keeps it. */
export function deciderOf(actor: Actor | undefined): string {
  if (actor?.type === 'person') return actor.id
  if (actor?.type === 'operator' && actor.key) return `the operator’s key ${actor.key.hint}`
  return nameOf(actor) ?? 'A command'
}

/** The part of an audit entry that keeps the name given to a command. */
export function auditedName(actor: Actor | undefined): { by?: string } {
  const by = nameOf(actor)
  return by === undefined ? {} : { by }
}

const nameOf = (actor: Actor | undefined): string | undefined =>
  actor?.type === 'operator' ? actor.name : undefined
