/**
 * Goal: schemas are TypeBox's. Method: each is made by the library too, and both are the same, with
 * what is hidden in them.
 */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Type as library } from 'typebox'
import { Type, values } from './typebox.ts'

const described = (schema: object): unknown =>
  Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(schema)).map(([name, { value, ...how }]) => [
      name,
      { ...how, value: typeof value === 'object' && value !== null ? described(value) : value },
    ]),
  )

const schemas: ((type: typeof Type) => object)[] = [
  (type) => type.String(),
  (type) => type.String({ minLength: 1, 'x-message': 'must be' }),
  (type) => type.Optional(type.String({ description: 'a' })),
  (type) => type.Object({}),
  (type) =>
    type.Object(
      { a: type.String(), b: type.Optional(type.Integer()) },
      { title: 'A', additionalProperties: false },
    ),
  (type) => type.Object({ b: type.Optional(type.Object({ c: type.Null() })) }),
  (type) => type.Optional(type.Optional(type.Array(type.Number({ minimum: 1 }), { maxItems: 3 }))),
  (type) => type.Unsafe({ type: 'string', enum: ['a'] }),
  (type) => type.Optional(type.Unsafe({ type: ['string', 'null'] })),
  (type) => type.Record(type.String(), type.Boolean(), { maxProperties: 3 }),
  (type) =>
    type.Partial(
      type.Object(
        { a: type.String({ title: 'a' }), b: type.Optional(type.Null()) },
        { title: 'A' },
      ),
    ),
  (type) =>
    type.Partial(type.Object({ a: type.Integer() }, { additionalProperties: false }), {
      title: 'B',
    }),
  (type) => type.Union([type.String(), type.Null()], { title: 'C' }),
  (type) => type.Unknown(),
]

it('makes the schemas that TypeBox makes', () => {
  for (const make of schemas) {
    const [own, theirs] = [make(Type), make(library as unknown as typeof Type)]
    assert.deepEqual(described(own), described(theirs))
    assert.equal(JSON.stringify(own), JSON.stringify(theirs))
  }
})

it('makes schemas by which values are checked', () => {
  const { Value } = values()
  const schema = Type.Object(
    { a: Type.String(), b: Type.Optional(Type.Integer()) },
    { additionalProperties: false },
  )
  assert.deepEqual(
    [{ a: 'x' }, { a: 'x', b: 1 }, { a: 1 }, { b: 1 }, { a: 'x', c: 1 }].map((value) =>
      Value.Check(schema, value),
    ),
    [true, true, false, false, false],
  )
})
