/** Reads JSON files of settings, validated by a schema, with one-line errors. */
import { readFileSync } from 'node:fs'
import { ConfigError } from './config.ts'
import type { Static, TSchema } from './schema.ts'
import { values } from './typebox.ts'

/**
 * Reads the file that a setting names.
 * @throws {ConfigError} with one line that names the setting and the error, without the content of
 * the file
 */
export function readSettingsFile<S extends TSchema>(
  setting: string,
  file: string,
  schema: S,
): Static<S> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${setting} '${file}': ${(error as Error).message}`)
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    // The rest of the parser's message quotes the file.
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0]
    throw new ConfigError([`${setting} '${file}': is not JSON`, place].filter(Boolean).join(' '))
  }
  const mistake = mistakeIn(schema, given)
  if (mistake !== null) throw new ConfigError(`${setting}: ${mistake}`)
  return given as Static<S>
}

/**
 * Returns the first mismatch with a schema, or null. Unknown names come first, because one may be a
 * misspelt required name.
 * @param within the path of the value, such as `live.accounts.one`; empty for the whole file
 */
export function mistakeIn(schema: TSchema, value: unknown, within = ''): string | null {
  const { Value } = values()
  if (Value.Check(schema, value)) return null
  const errors = Value.Errors(schema, value)
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')
  const { instancePath, message } = unknown ?? (errors[0] as (typeof errors)[number])
  const place = [within, instancePath.slice(1).replaceAll('/', '.')].filter(Boolean).join('.')
  if (unknown?.keyword !== 'additionalProperties') return `${place || 'it'} ${message}`
  const [name] = unknown.params.additionalProperties
  const steps = unknown.schemaPath.split('/').slice(1)
  const closed = steps.reduce(
    (part, step) => (part as Record<string, unknown>)[step],
    schema as unknown,
  )
  const known = Object.keys((closed as { properties: object }).properties)
  return `${place ? `${place}.` : ''}${name} is not a known setting; there are ${known.join(', ')}`
}
