/**
 * What the SDKs are printed from: the operations, the types and the refusals of the OpenAPI
 * document, in the order that it has them and without what no client needs. Envelopes are gone: an
 * answer is what its `data` holds.
 */
import { amounts, names } from './names.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document has every shape
type Json = any

/** The type of a value. `money`: an integer of 64 bits that is an amount, in minor units. */
export type Type = (
  | { kind: 'string'; format?: string }
  | { kind: 'integer'; money: boolean }
  | { kind: 'number' }
  | { kind: 'boolean' }
  | { kind: 'any' }
  | { kind: 'array'; items: Type }
  | { kind: 'map'; values: Type }
  /** One of `Model['schemas']`. */
  | { kind: 'ref'; name: string }
) & {
  nullable: boolean
  /** The one value that it has here. */
  const?: string
}

export type Field = { name: string; required: boolean; description: string; type: Type }

export type Schema = { description: string } & (
  | { kind: 'object'; fields: Field[] }
  | { kind: 'map'; values: Type }
  /**
   * Later versions have more values: what reads them must not fail on one that it does not know.
   */
  | { kind: 'enum'; values: string[] }
  /** One of several objects, which a field tells apart where `discriminator` is there. */
  | {
      kind: 'union'
      of: string[]
      discriminator?: { field: string; values: Record<string, string> }
    }
)

export type Answer =
  /** A record, or `items` as a plain array. */
  | { kind: 'record'; type: Type }
  | { kind: 'list'; items: Type }
  /**
   * A page of a list: `schema` is the page with `docs`, `items` are what these are. `cursor`: the
   * next page is had by `after`, else by `page`.
   */
  | { kind: 'page'; schema: string; items: Type; cursor: boolean }
  /** A file: its bytes, whatever their kind. */
  | { kind: 'bytes'; contentType: string }
  /** Server-sent events. */
  | { kind: 'stream'; events: Type }

export type Method = {
  /** The operationId. */
  id: string
  resource: string
  name: string
  http: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `{name}` for each of `path parameters`. */
  path: string
  summary: string
  description: string
  /** In the order of the path. */
  pathParameters: Field[]
  query: Field[]
  body: { schema: string; required: boolean } | null
  answer: Answer
  /**
   * Whether it takes an Idempotency-Key: what does not, and is no GET, PUT or DELETE, is never sent
   * twice.
   */
  idempotent: boolean
  /** Whether it needs a key. */
  key: boolean
  /** What it can be refused with, beside what every operation can. */
  codes: string[]
}

export type Model = {
  resources: Record<string, Method[]>
  schemas: Record<string, Schema>
  /** The events, by type: the schema of the whole event, and of its payload. */
  events: { type: string; schema: string; payload: string }[]
  /** Every refusal code, with the status that it comes with and what it means. */
  codes: { code: string; status: number; meaning: string }[]
}

/**
 * @throws {Error} when an operation has no name, or the document says something that no SDK knows
 * yet
 */
export function modelOf(document: Json): Model {
  const resources: Record<string, Method[]> = {}
  const needed = new Set<string>()
  for (const [path, operations] of Object.entries<Json>(document.paths))
    for (const [http, operation] of Object.entries<Json>(operations)) {
      const method = methodOf(document, path, http, operation)
      const { resource, name } = method
      const of = resources[resource] ?? []
      if (of.some((other) => other.name === name))
        throw new Error(`two operations are ${resource}.${name}`)
      resources[resource] = [...of, method]
      for (const schema of schemasOf(method)) needed.add(schema)
    }
  const events = eventsOf(document)
  for (const { schema } of events) needed.add(schema)
  needed.add('ValidationIssue')
  const schemas: Record<string, Schema> = {}
  const visit = (name: string): void => {
    if (schemas[name]) return
    const schema = schemaOf(document, name)
    schemas[name] = schema
    for (const other of refsOfSchema(schema)) visit(other)
  }
  for (const name of Object.keys(document.components.schemas)) if (needed.has(name)) visit(name)
  return { resources, schemas, events, codes: codesOf(document) }
}

const nameOf = ($ref: string): string => $ref.split('/').at(-1) as string

function resolve(document: Json, value: Json): Json {
  if (!value?.$ref) return value
  const [, , kind, name] = value.$ref.split('/')
  return document.components[kind][name]
}

function methodOf(document: Json, path: string, http: string, operation: Json): Method {
  const id: string = operation.operationId
  const named = names[id]
  if (named === undefined) throw new Error(`src/web/docs/sdk-names.ts has no name for ${id}`)
  const [resource, name] = named.split('.') as [string, string]
  const parameters: Json[] = (operation.parameters ?? []).map((one: Json) => resolve(document, one))
  const of = (where: string): Field[] =>
    parameters.filter((one) => one.in === where).map(parameterOf)
  const body = operation.requestBody
  const query = of('query')
  return {
    id,
    resource,
    name,
    path,
    http: http.toUpperCase() as Method['http'],
    summary: operation.summary,
    description: operation.description ?? '',
    pathParameters: of('path').sort(
      (a, b) => path.indexOf(`{${a.name}}`) - path.indexOf(`{${b.name}}`),
    ),
    query,
    body: body
      ? {
          schema: nameOf(body.content['application/json'].schema.$ref),
          required: body.required === true,
        }
      : null,
    answer: answerOf(document, operation, query),
    idempotent: parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key'),
    key: operation.security?.length !== 0,
    codes: ownCodes(document, operation),
  }
}

const parameterOf = ({ name, required, description, schema }: Json): Field => ({
  name,
  required: required === true,
  description: description ?? '',
  type: typeOf(name, schema),
})

function answerOf(document: Json, operation: Json, query: Field[]): Answer {
  const status = Object.keys(operation.responses).find((code) => code.startsWith('2')) as string
  const [[contentType, { schema }]] = Object.entries<Json>(
    resolve(document, operation.responses[status]).content,
  ) as [[string, Json]]
  if (contentType === 'text/event-stream') return { kind: 'stream', events: typeOf('', schema) }
  if (contentType !== 'application/json') return { kind: 'bytes', contentType }
  const { data } = resolve(document, schema).properties
  if (data.type === 'array') return { kind: 'list', items: typeOf('', data.items) }
  const docs = flatten(document, resolve(document, data)).find((field) => field.name === 'docs')
  if (docs?.type.kind !== 'array') return { kind: 'record', type: typeOf('', data) }
  const cursor = query.some((field) => field.name === 'after')
  return { kind: 'page', schema: nameOf(data.$ref), items: docs.type.items, cursor }
}

/** The codes of its own statuses: not those that its `default` answer has. */
function ownCodes(document: Json, operation: Json): string[] {
  const answers = Object.entries<Json>(operation.responses).filter(
    ([status]) => status !== 'default',
  )
  return [
    ...new Set(answers.flatMap(([, answer]) => resolve(document, answer)['x-error-codes'] ?? [])),
  ] as string[]
}

/** The fields of an object, with those that it extends. */
function flatten(document: Json, schema: Json): Field[] {
  const inherited = (schema.allOf ?? []).flatMap((part: Json) =>
    flatten(document, resolve(document, part)),
  )
  const own = Object.entries<Json>(schema.properties ?? {}).map(([name, value]) => ({
    name,
    required: (schema.required ?? []).includes(name),
    description: value.description ?? resolve(document, value).description ?? '',
    type: typeOf(name, value),
  }))
  return [...inherited, ...own]
}

function typeOf(name: string, schema: Json): Type {
  const fixed = typeof schema.const === 'string' ? { const: schema.const } : {}
  if (schema.$ref) return { kind: 'ref', name: nameOf(schema.$ref), nullable: false, ...fixed }
  if (schema.anyOf) return { ...typeOf(name, schema.anyOf[0]), nullable: true }
  const nullable = Array.isArray(schema.type)
  const type = nullable ? schema.type.find((one: string) => one !== 'null') : schema.type
  switch (type) {
    case 'string':
      return {
        kind: 'string',
        nullable,
        ...(schema.format ? { format: schema.format } : {}),
        ...fixed,
      }
    case 'integer':
      return { kind: 'integer', money: schema.format === 'int64' && amounts.has(name), nullable }
    case 'number':
    case 'boolean':
      return { kind: type, nullable }
    case 'array':
      return { kind: 'array', items: typeOf(name, schema.items), nullable }
    case 'object':
      return { kind: 'map', values: valuesOf(schema), nullable }
  }
  throw new Error(`no type for ${name}: ${JSON.stringify(schema)}`)
}

const valuesOf = ({ additionalProperties }: Json): Type =>
  typeof additionalProperties === 'object'
    ? typeOf('', additionalProperties)
    : { kind: 'any', nullable: true }

function schemaOf(document: Json, name: string): Schema {
  const schema = document.components.schemas[name]
  const description: string = schema.description ?? ''
  if (schema.enum) return { kind: 'enum', description, values: schema.enum }
  if (schema.oneOf) {
    const of = schema.oneOf.map((one: Json) => nameOf(one.$ref))
    const told = schema.discriminator
    if (!told) return { kind: 'union', description, of }
    const values = Object.fromEntries(
      Object.entries<string>(told.mapping).map(([value, ref]) => [value, nameOf(ref)]),
    )
    return { kind: 'union', description, of, discriminator: { field: told.propertyName, values } }
  }
  if (!schema.properties && !schema.allOf)
    return { kind: 'map', description, values: valuesOf(schema) }
  return { kind: 'object', description, fields: flatten(document, schema) }
}

/** The schemas that a type names. */
export function refsOf(type: Type): string[] {
  if (type.kind === 'ref') return [type.name]
  if (type.kind === 'array') return refsOf(type.items)
  return type.kind === 'map' ? refsOf(type.values) : []
}

function refsOfSchema(schema: Schema): string[] {
  if (schema.kind === 'object') return schema.fields.flatMap(({ type }) => refsOf(type))
  if (schema.kind === 'union') return schema.of
  return schema.kind === 'map' ? refsOf(schema.values) : []
}

/** The schemas that an operation names; of a page, not those of its items. */
export function schemasOf({ pathParameters, query, body, answer }: Method): string[] {
  const given = [...pathParameters, ...query].flatMap(({ type }) => refsOf(type))
  const taken =
    answer.kind === 'record'
      ? refsOf(answer.type)
      : answer.kind === 'list'
        ? refsOf(answer.items)
        : answer.kind === 'page'
          ? [answer.schema]
          : answer.kind === 'stream'
            ? refsOf(answer.events)
            : []
  return [...given, ...(body ? [body.schema] : []), ...taken]
}

function eventsOf(document: Json): Model['events'] {
  return Object.entries<Json>(document.webhooks).map(([type, { post }]) => {
    const schema = nameOf(post.requestBody.content['application/json'].schema.$ref)
    const payload = flatten(document, document.components.schemas[schema]).find(
      (field) => field.name === 'payload',
    )
    if (payload?.type.kind !== 'ref') throw new Error(`${schema} has no payload that has a name`)
    return { type, schema, payload: payload.type.name }
  })
}

/** The refusal codes, from the table in which the document says what each means. */
function codesOf(document: Json): Model['codes'] {
  const table: string = document.components.schemas.ErrorDetails.properties.code.description
  return [...table.matchAll(/^\| `(\w+)` \| (\d+) \| (.*) \|$/gm)].map(
    ([, code = '', status, meaning = '']) => ({
      code,
      status: Number(status),
      meaning,
    }),
  )
}

/**
 * The field types that hold an event's payload, whose schema follows from the `type` beside it:
 * `Model['events']` says which.
 */
export const payloadSchema = 'EventPayload'

/**
 * Where money is in each schema that has some, itself or in what it names: `true` for a field that
 * is an amount, the schema's name for one that holds such a schema (or an array of them). An
 * event's `payload` is of `payloadSchema`.
 */
export function moneyOf({ schemas }: Model): Record<string, Record<string, true | string>> {
  const money: Record<string, Record<string, true | string>> = {}
  const fieldsOf = (schema: Schema): Record<string, true | string> => {
    // Of what a field tells apart, only the payload differs.
    if (schema.kind === 'union' && schema.discriminator) return { payload: payloadSchema }
    if (schema.kind === 'union')
      return Object.assign({}, ...schema.of.map((name) => money[name] ?? {}))
    if (schema.kind !== 'object') return {}
    const fields: Record<string, true | string> = {}
    for (const { name, type } of schema.fields) {
      const [to] = refsOf(type)
      if (type.kind === 'integer' && type.money) fields[name] = true
      else if (to !== undefined && (to in money || to === payloadSchema)) fields[name] = to
    }
    return fields
  }
  // What names a schema that has money has some, too: until no more is found.
  for (let known = ''; known !== JSON.stringify(money) || known === ''; ) {
    known = JSON.stringify(money)
    for (const [name, schema] of Object.entries(schemas)) {
      const fields = fieldsOf(schema)
      if (Object.keys(fields).length > 0) money[name] = fields
    }
  }
  return money
}
