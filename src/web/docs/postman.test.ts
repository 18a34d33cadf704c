/**
 * Goal: Postman takes the collection. Method: it is held against the rules of the format 2.1 for
 * all that it uses, written down here with nothing else allowed, and each operation against its
 * request.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../api/http/openapi.ts'
import { metaRoutes } from '../../api/meta/meta.ts'
import { modules } from '../../app/modules.ts'
import { readReference } from './document.ts'
import { postmanCollection } from './postman.ts'

const text = { type: 'string' }
const object = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const list = (items: object) => ({ type: 'array', items })
const pair = object(
  { key: text, value: text, type: text, description: text, disabled: { type: 'boolean' } },
  ['key', 'value'],
)
const request = object(
  {
    method: { enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    description: text,
    auth: object({ type: { enum: ['noauth', 'bearer'] }, bearer: list(pair) }, ['type']),
    header: list(pair),
    url: object(
      { raw: text, host: list(text), path: list(text), query: list(pair), variable: list(pair) },
      ['raw'],
    ),
    body: object({ mode: { enum: ['raw'] }, raw: text, options: { type: 'object' } }, ['mode']),
  },
  ['method', 'url'],
)
const response = object(
  {
    name: text,
    originalRequest: request,
    status: text,
    code: { type: 'integer' },
    header: list(pair),
    body: text,
  },
  ['name'],
)
const item = object({ id: text, name: text, request, response: list(response) }, [
  'name',
  'request',
])
const schema = object(
  {
    info: object(
      {
        name: text,
        description: text,
        schema: { const: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      },
      ['name', 'schema'],
    ),
    auth: object({ type: { const: 'bearer' }, bearer: list(pair) }, ['type']),
    variable: list(pair),
    item: list(object({ name: text, description: text, item: list(item) }, ['name', 'item'])),
  },
  ['info', 'item'],
)

// biome-ignore lint/suspicious/noExplicitAny: JSON has every shape
type Any = any

describe('the collection for Postman', () => {
  const url = 'https://pay.example'
  const vitals = { workers: () => true, warnings: async () => [] }
  const reference = readReference(
    openApiDocument(
      metaRoutes('1.0.0', () => url, vitals),
      modules,
      url,
    ),
  )
  const collection = JSON.parse(JSON.stringify(postmanCollection(reference, url))) as Any

  it('has the form that its format asks for', () => {
    const ajv = new Ajv2020({ allErrors: true })
    assert.ok(ajv.validate(schema, collection), JSON.stringify(ajv.errors?.slice(0, 5)))
  })

  it('asks each operation once, with its key, its path and a body that the operation documents', () => {
    const items: Any[] = collection.item.flatMap((folder: Any) => folder.item)
    const operations = reference.groups.flatMap((group) => group.operations)
    assert.deepEqual(
      items.map(({ id }) => id),
      operations.map(({ id }) => id),
    )
    for (const [i, { request: asked }] of items.entries()) {
      const { method, path, body, needsKey } = operations[i] as (typeof operations)[number]
      assert.equal(
        `${asked.method} /${asked.url.path.join('/')}`,
        `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      )
      assert.deepEqual(
        asked.url.variable.map(({ key }: Any) => `{${key}}`),
        path.match(/\{\w+\}/g) ?? [],
        path,
      )
      assert.equal(asked.auth?.type, needsKey ? undefined : 'noauth', path)
      assert.equal(asked.body === undefined, body === null, path)
      if (asked.body) assert.equal(typeof JSON.parse(asked.body.raw), 'object', path)
    }
    const payout = items.find(({ id }) => id === 'createPayout')
    assert.equal(JSON.parse(payout.request.body.raw).method, 'bank_transfer')
    const examples = JSON.parse(readFileSync('src/api/http/examples.json', 'utf8'))
    assert.deepEqual(JSON.parse(payout.response[0].body).data, examples.Payout)
  })
})
