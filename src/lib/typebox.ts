/**
 * The parts of TypeBox that our schemas use. The library loads 373 modules, a fifth of a process's
 * start. A test compares the results.
 */
import { createRequire } from 'node:module'
import type * as typebox from 'typebox'
import type { TSchema } from 'typebox'

type Made = Record<string, unknown>

/** Sets what the types identify a schema by, invisible in JSON. */
function hidden(schema: Made, name: string, value: unknown): Made {
  return Object.defineProperty(schema, name, {
    value,
    writable: true,
    enumerable: false,
    configurable: true,
  })
}

const ofKind = (kind: string, schema: Made): Made => hidden(schema, '~kind', kind)

function again(schema: object): Made {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
}

const plain =
  (kind: string, type: string) =>
  (options: object = {}): Made =>
    ofKind(kind, { type, ...options })

function object(properties: Record<string, object>, options: object = {}): Made {
  const required = Object.keys(properties).filter(
    (name) => !('~optional' in (properties[name] as object)),
  )
  return ofKind('Object', {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    ...options,
  })
}

const optional = (schema: object): Made => hidden(again(schema), '~optional', true)

const functions = {
  String: plain('String', 'string'),
  Boolean: plain('Boolean', 'boolean'),
  Null: plain('Null', 'null'),
  Integer: plain('Integer', 'integer'),
  Number: plain('Number', 'number'),
  Array: (items: object, options: object = {}) =>
    ofKind('Array', { type: 'array', items, ...options }),
  Object: object,
  Optional: optional,
  /** Makes every field of an object optional. Other options are dropped. */
  Partial: ({ properties }: { properties: Record<string, object> }, options: object = {}) =>
    object(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, optional(schema)]),
      ),
      options,
    ),
  /** With texts as names. */
  Record: (_names: object, values: object, options: object = {}) =>
    ofKind('Record', { type: 'object', patternProperties: { '^.*$': values }, ...options }),
  Union: (anyOf: object[], options: object = {}) => ofKind('Union', { anyOf, ...options }),
  Unknown: (options: object = {}) => ofKind('Unknown', { ...options }),
  Unsafe: (schema: object) => hidden({ ...schema }, '~unsafe', null),
}

export const Type = functions as unknown as Pick<typeof typebox.Type, keyof typeof functions>

const load = createRequire(import.meta.url)

/** TypeBox's checks of values, loaded on first use; requests are validated elsewhere. */
export const values = (): typeof import('typebox/value') => load('typebox/value')

export type { TSchema }
