/**
 * The event types that the commands for integrators take: those of the catalogue, without loading
 * the modules that declare them.
 */
import { exits } from './access.ts'
import { UserError } from './terminal.ts'
import { recipes } from './trigger.ts'

/** A test holds `recipes` against the catalogue. */
export const eventTypes: readonly string[] = Object.keys(recipes)

/**
 * Reads which types are wanted: names, `payout.*` or `*`, comma-separated.
 * @returns whether an event of a type is
 * @throws {UserError} for what is none
 */
export function readTypes(option: string, text: string): (type: string) => boolean {
  const wanted = text.split(',').map((part) => part.trim())
  const matches = (pattern: string, type: string): boolean =>
    pattern === '*' ||
    pattern === type ||
    (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)))
  for (const pattern of wanted)
    if (!eventTypes.some((type) => matches(pattern, type)))
      throw new UserError(
        `${option}: there is no '${pattern}'. There are ${eventTypes.join(', ')}.`,
        exits.usage,
      )
  return (type) => wanted.some((pattern) => matches(pattern, type))
}
