/**
 * The part of TypeBox that schemas here are made with: its types, and its functions as far as they
 * are used. The library's own bring 373 modules, a fifth of what every process takes to start. What
 * they make is the same, as the test says.
 */
import { createRequire } from 'node:module'
import type * as typebox from 'typebox'
import type { TSchema } from 'typebox'

type Made = Record<string, unknown>

/** What the types know a schema by, which no JSON shows. */
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
  /** Of an object: every field may be left out. What else it says is not taken over. */
  Partial: ({ properties }: { properties: Record<string, object> }, options: object = {}) =>
    object(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, optional(schema)]),
      ),
      options,
    ),
  /** Of texts as names. */
  Record: (_names: object, values: object, options: object = {}) =>
    ofKind('Record', { type: 'object', patternProperties: { '^.*$': values }, ...options }),
  Union: (anyOf: object[], options: object = {}) => ofKind('Union', { anyOf, ...options }),
  Unknown: (options: object = {}) => ofKind('Unknown', { ...options }),
  Unsafe: (schema: object) => hidden({ ...schema }, '~unsafe', null),
}

export const Type = functions as unknown as Pick<typeof typebox.Type, keyof typeof functions>

const load = createRequire(import.meta.url)

/** TypeBox's own checks of values, loaded by the first use: requests are checked by others. */
export const values = (): typeof import('typebox/value') => load('typebox/value')

export type { TSchema }
