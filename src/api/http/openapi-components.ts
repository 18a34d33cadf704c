/**
 * Shared parts of the OpenAPI document: schemas with a `title` become components, so that clients
 * have one type per record, and so do parameters of several operations.
 */
import { isDeepStrictEqual } from 'node:util'

export type Json = Record<string, unknown>

/** Keywords without meaning for clients. */
const ours = ['x-message', 'x-line', 'x-max-bytes', 'x-any-case', 'x-document']

/** Keywords that belong to the use of a schema, not to the schema. */
const ofUse = ['default']
const ofEnumerationsUse = [...ofUse, 'description', 'examples']

/** Fields of every record, whose examples are in the records' examples. */
const exemplified = ['^[0-9a-f]{24}$', 'date-time', 'int64']

/** Converts `createPayout`, `payout.completed` and `virtual-accounts` to type names. */
export const typeName = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Converts a schema for validation to one for the document. */
function documented(schema: Json): Json {
  const said = { ...schema, ...(schema['x-document'] as Json | undefined) }
  for (const [name, value] of Object.entries(schema['x-document'] ?? {}))
    if (value === null) delete said[name]
  for (const name of ours) delete said[name]
  if (said.nullable === true && typeof said.type === 'string') {
    said.type = [said.type, 'null']
    delete said.nullable
  }
  // Equally strict in the form that openapi-generator reads: from `additionalProperties: false` it
  // makes a map, which it sends empty.
  if (said.additionalProperties === false) {
    delete said.additionalProperties
    said.unevaluatedProperties = false
  }
  if (exemplified.includes((said.pattern ?? said.format) as string)) delete said.examples
  return said
}

const isSchema = (value: Json): boolean => ['type', 'oneOf', 'allOf'].some((name) => name in value)

/**
 * Moves schemas with a `title` into `components`, and puts references in their place.
 * @throws {Error} when two different schemas have one name
 */
export function hoist(value: unknown, components: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components))
  if (typeof value !== 'object' || value === null) return value
  const { title, ...rest } = documented(value as Json)
  const copy = Object.fromEntries(
    Object.entries(rest).map(([name, child]) => [
      name,
      name === 'examples' ? child : hoist(child, components),
    ]),
  )
  if (typeof title !== 'string' || !isSchema(copy))
    return title === undefined ? copy : { title, ...copy }
  if ('const' in copy) {
    // Next to a reference, ogen rejects a single value, and hey-api and orval drop it.
    const { enum: _values, ...fixed } = copy
    return fixed
  }

  const nullable = Array.isArray(copy.type) && copy.type.includes('null')
  if (nullable) copy.type = (copy.type as string[]).find((type) => type !== 'null')
  if (Array.isArray(copy.enum)) copy.enum = copy.enum.filter((item) => item !== null)
  const apart = copy.enum ? ofEnumerationsUse : ofUse
  const use = Object.fromEntries(Object.entries(copy).filter(([name]) => apart.includes(name)))
  const { description, ...shape } = Object.fromEntries(
    Object.entries(copy).filter(([name]) => !apart.includes(name)),
  )
  const known = components.get(title)
  if (!known) components.set(title, { ...(description ? { description } : {}), ...shape })
  else {
    const { description: first, ...knownShape } = known
    if (!isDeepStrictEqual(knownShape, shape))
      throw new Error(`two schemas of the document are called ${title}`)
    if (description !== first) use.description = description
  }
  const reference = { $ref: `#/components/schemas/${title}` }
  return nullable ? { anyOf: [reference, { type: 'null' }], ...use } : { ...reference, ...use }
}

/**
 * Returns the owner of a path's parameter: in `/crypto/wallets/{id}`, `id` belongs to
 * `CryptoWallet`.
 */
function ownerOf(path: string, parameter: string): string {
  const before = path
    .slice(0, path.indexOf(`/{${parameter}}`))
    .split('/')
    .filter((part) => part && !part.includes('{'))
  return before.map((part) => typeName(part.replace(/s$/, ''))).join('')
}

/**
 * Moves parameters of several operations into components: those of lists by name, those of paths by
 * owner.
 * @param paths changed in place
 * @param taken the names of schemas, which parameters must not get: some languages have types for
 * both
 */
export function shareParameters(paths: Record<string, Json>, taken: ReadonlySet<string>): Json {
  const uses = new Map<
    string,
    { names: Set<string>; lists: { parameters: Json[]; at: number }[] }
  >()
  for (const [path, item] of Object.entries(paths))
    for (const operation of Object.values(item) as { parameters?: Json[] }[])
      operation.parameters?.forEach((parameter, at) => {
        if (parameter.$ref) return
        const text = JSON.stringify(parameter)
        const name = typeName(parameter.name as string)
        const use = uses.get(text) ?? { names: new Set(), lists: [] }
        use.names.add(
          parameter.in === 'path' ? ownerOf(path, parameter.name as string) + name : name,
        )
        use.lists.push({ parameters: operation.parameters as Json[], at })
        uses.set(text, use)
      })
  const shared: Json = {}
  for (const { names, lists } of uses.values()) {
    const [first = ''] = names
    const name = taken.has(first) ? `${first}Filter` : first
    if (lists.length < 3 || name in shared) continue
    shared[name] = lists[0]?.parameters[lists[0].at]
    for (const { parameters, at } of lists)
      parameters[at] = { $ref: `#/components/parameters/${name}` }
  }
  return shared
}

/**
 * Moves success answers of several operations into components.
 * @param paths changed in place
 */
export function shareAnswers(paths: Record<string, Json>): Json {
  const uses = new Map<string, { responses: Record<string, Json>; status: string }[]>()
  for (const item of Object.values(paths))
    for (const { responses } of Object.values(item) as { responses: Record<string, Json> }[]) {
      const status = Object.keys(responses).find((code) => code.startsWith('2')) as string
      const answer = responses[status] as { content: Record<string, { schema: { $ref?: string } }> }
      const schema = answer.content['application/json']?.schema.$ref
      if (schema) uses.set(schema, [...(uses.get(schema) ?? []), { responses, status }])
    }
  const shared: Json = {}
  for (const [schema, [first, ...others]] of uses) {
    if (!first || others.length === 0) continue
    const name = schema.replace(/^.*\/(.*)Answer$/, '$1Success')
    shared[name] = first.responses[first.status]
    for (const { responses, status } of [first, ...others])
      responses[status] = { $ref: `#/components/responses/${name}` }
  }
  return shared
}
