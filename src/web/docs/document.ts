/**
 * Reads the reference from an OpenAPI document: groups of operations with their parameters, bodies,
 * answers and refusals.
 */

/** A JSON schema, as far as it is shown. */
export type Schema = {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Schema
}

export type Refusals = { status: string; description: string; codes: string[] }

export type Operation = {
  id: string
  method: string
  path: string
  summary: string
  description: string
  /** The scope that a key needs; null if it needs none. */
  scope: string | null
  needsKey: boolean
  deprecated: boolean
  parameters: Parameter[]
  body: { schema: Schema; required: boolean } | null
  answer: { status: string; contentType: string; schema: Schema | null }
  refusals: Refusals[]
}

export type Event = { type: string; meaning: string; schema: Schema }

export type Group = {
  name: string
  slug: string
  description: string
  operations: Operation[]
  events: Event[]
}

export type Reference = {
  title: string
  about: string
  groups: Group[]
  /** Returns a schema without its reference, and the name that the reference had. */
  resolve(schema: Schema): Schema & { name?: string }
}

/** Returns `virtual-accounts` for `Virtual accounts`, for addresses. */
export const slugOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document has every shape
type Any = any

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Reads a document that `openapi.ts` has made. */
export function readReference(document: object): Reference {
  const { info, tags, paths, webhooks, components, security } = document as Any
  const at = (reference: string): Any =>
    reference
      .slice(2)
      .split('/')
      .reduce((part: Any, name) => part[name], { components })
  const shared: Shared = {
    deref: (value) => (value?.$ref === undefined ? value : at(value.$ref)),
    security,
  }
  const operations = (Object.entries(paths) as [string, Any][]).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => ({
        tag: item[method].tags[0] as string,
        operation: operationOf({ path, method, ...item[method] }, shared),
      })),
  )
  const events = (Object.entries(webhooks ?? {}) as [string, Any][]).map(([type, { post }]) => ({
    tag: post.tags[0] as string,
    event: {
      type,
      meaning: post.summary,
      schema: post.requestBody.content['application/json'].schema as Schema,
    },
  }))
  return {
    title: info.title,
    about: info.description,
    groups: (tags as { name: string; description?: string }[]).map(
      ({ name, description = '' }) => ({
        name,
        description,
        slug: slugOf(name),
        operations: operations.filter(({ tag }) => tag === name).map((one) => one.operation),
        events: events.filter(({ tag }) => tag === name).map(({ event }) => event),
      }),
    ),
    resolve(schema) {
      if (schema.$ref === undefined) return schema
      const { $ref, ...use } = schema
      return { ...at($ref), ...use, name: $ref.split('/').at(-1) as string }
    },
  }
}

/** What operations use of the rest of their document. */
type Shared = { deref(value: Any): Any; security: Any }

function operationOf(declared: Any, { deref, security }: Shared): Operation {
  const body = declared.requestBody?.content['application/json']
  const responses = Object.entries(declared.responses) as [string, Any][]
  const [status, success] = responses.find(([code]) => code.startsWith('2')) as [string, Any]
  const [contentType = '', content] =
    (Object.entries(deref(success).content ?? {}) as [string, Any][])[0] ?? []
  return {
    id: declared.operationId,
    method: declared.method.toUpperCase(),
    path: declared.path,
    parameters: (declared.parameters ?? []).map(deref),
    summary: declared.summary,
    description: declared.description ?? '',
    scope: declared['x-scope'] ?? null,
    needsKey: (declared.security ?? security).length > 0,
    deprecated: declared.deprecated === true,
    body: body ? { schema: body.schema, required: declared.requestBody.required } : null,
    answer: { status, contentType, schema: content?.schema ?? null },
    refusals: responses.flatMap(([code, response]) => {
      const { description, 'x-error-codes': codes } = deref(response)
      return Array.isArray(codes) ? [{ status: code, description, codes }] : []
    }),
  }
}

/** Returns a sample value of a schema: its example, or the least that it accepts. */
export function exampleOf(
  reference: Pick<Reference, 'resolve'>,
  schema: Schema,
  name = '',
  depth = 0,
): unknown {
  const of = reference.resolve(schema)
  if (of.examples?.length) return of.examples[0]
  if (of.const !== undefined) return of.const
  const type = Array.isArray(of.type) ? of.type.find((one) => one !== 'null') : of.type
  if (of.enum?.length) return of.default ?? of.enum[0]
  const [choice] = of.anyOf ?? of.oneOf ?? []
  if (choice) return exampleOf(reference, choice, name, depth)
  const parts = of.allOf
  if (parts)
    return Object.assign(
      {},
      ...parts.map((part) => exampleOf(reference, part, name, depth) as object),
    )
  if (type === 'integer' || type === 'number') return of.default ?? Math.max(of.minimum ?? 1, 1)
  if (type === 'boolean') return of.default ?? true
  if (type === 'array')
    return depth > 4 ? [] : [exampleOf(reference, of.items ?? {}, name, depth + 1)]
  if (type === 'object' || of.properties) {
    if (depth > 4) return {}
    const asked = of.required?.length ? of.required : Object.keys(of.properties ?? {}).slice(0, 1)
    return Object.fromEntries(
      asked.map((key) => [key, exampleOf(reference, of.properties?.[key] ?? {}, key, depth + 1)]),
    )
  }
  if (of.pattern === '^[0-9a-f]{24}$') return '6b01552fe8afb9b43fe04458'
  if (of.format === 'date') return '2026-12-24'
  if (of.format === 'date-time') return '2026-12-24T09:00:00.000Z'
  if (of.format === 'email') return 'ada@example.com'
  if (of.format === 'uri') return 'https://shop.example/'
  return of.default ?? name
}
