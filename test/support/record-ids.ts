/**
 * The ids of the kinds of records that the API's document has, found in answers by the document
 * itself: nobody keeps a list.
 */
import type { Answer, Call, Json } from './harness.ts'

/**
 * Visits what a schema is of, in a value where there is one, and names each kind of record that has
 * an id.
 */
type Visit = (kind: string, id: unknown) => void

/** @param document what `/openapi.json` has */
export function recordIdsOf(document: Json) {
  const refOf = (schema: Json): string | undefined => schema.$ref?.split('/').at(-1)

  function walk(
    schema: Json,
    value: unknown,
    visit: Visit,
    name = '',
    seen: ReadonlySet<string> = new Set(),
  ): void {
    if (typeof schema !== 'object' || schema === null) return
    const of = refOf(schema)
    if (of !== undefined) {
      if (value === everything && seen.has(of)) return
      walk(document.components.schemas[of], value, visit, of, new Set(seen).add(of))
      return
    }
    for (const one of [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
      walk(one, value, visit, name, seen)
    const part = (key: string): unknown =>
      value === everything ? everything : (value as Json)?.[key]
    const parts = value === everything ? [everything] : Array.isArray(value) ? value : []
    for (const one of schema.items ? parts : []) walk(schema.items, one, visit, name, seen)
    const id = schema.properties?.id ? part('id') : undefined
    if (id !== undefined && id !== null) visit(name, id)
    for (const [key, one] of Object.entries(schema.properties ?? {}))
      if (part(key) !== undefined) walk(one, part(key), visit, name, seen)
  }

  const schemasOf = (operation: Json): Json[] =>
    Object.entries(operation.responses ?? {}).flatMap(([status, answer]: [string, Json]) => {
      const whole = refOf(answer) ? document.components.responses[refOf(answer) as string] : answer
      return status.startsWith('2')
        ? Object.values(whole.content ?? {}).map((one) => (one as Json).schema)
        : []
    })
  const operations = Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      path,
      method,
      schemas: schemasOf(operation),
    })),
  )
  const matches = (path: string, asked: string): boolean =>
    new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked.split('?')[0] as string)

  const found = new Map<string, Set<string>>()
  const visited: Visit = (kind, id) =>
    found.set(kind, (found.get(kind) ?? new Set()).add(id as string))
  return {
    /** Every kind that any answer may have. */
    kinds(): string[] {
      const all = new Set<string>()
      for (const { schemas } of operations)
        for (const schema of schemas) walk(schema, everything, (kind) => all.add(kind))
      return [...all].sort()
    },
    /** The lists that are asked for without an id. */
    lists: operations.flatMap(({ path, method }) =>
      method === 'get' && !path.includes('{') && !/export|csv|pdf|stream|reports/.test(path)
        ? [path]
        : [],
    ),
    /** A call whose answers are looked through. */
    looking:
      (call: Call): Call =>
      async (...asked): Promise<Answer> => {
        const answer = await call(...asked)
        const [method, path] = asked
        // A path that names what it wants comes before one that takes any id.
        const [operation] = operations
          .filter((one) => one.method === method.toLowerCase() && matches(one.path, path))
          .sort((a, b) => a.path.split('{').length - b.path.split('{').length)
        if (answer.status < 300)
          for (const schema of operation?.schemas ?? []) walk(schema, answer.body, visited)
        return answer
      },
    /** The ids that were seen, by kind. */
    found,
  }
}

/** Stands for any value: then the schema alone is walked. */
const everything = Symbol('everything')
