import type { Actor } from '../../core/app.ts'

/** The deciding person and their note. */
export type Decider = { by: string; note: string | null }

/** Returns the name of a deciding actor, as records store it. */
export function deciderOf(actor: Actor | undefined): string {
  if (actor?.type === 'person') return actor.id
  if (actor?.type === 'operator' && actor.key) return `the operator’s key ${actor.key.hint}`
  return nameOf(actor) ?? 'A command'
}

/** Returns the part of an audit entry that has the name given to a command. */
export function auditedName(actor: Actor | undefined): { by?: string } {
  const by = nameOf(actor)
  return by === undefined ? {} : { by }
}

const nameOf = (actor: Actor | undefined): string | undefined =>
  actor?.type === 'operator' ? actor.name : undefined
