/**
 * The OpenAPI document as generators of clients see it: every shape has a name, no two names become
 * one, and numbers are wide enough.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { events, modules } from '../../app/modules.ts'
import { metaRoutes } from '../meta/meta.ts'
import { openApiDocument } from './openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: a schema has every shape
type Any = any

const url = 'https://pay.example'
const vitals = { workers: () => true, warnings: async () => [] }
const document: Any = JSON.parse(
  JSON.stringify(
    openApiDocument(
      metaRoutes('1.0.0', () => url, vitals),
      modules,
      url,
    ),
  ),
)
const { schemas, parameters, headers, responses } = document.components
const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(document, 'bursar')

const operations: { name: string; operation: Any }[] = Object.entries({
  ...document.paths,
  ...document.webhooks,
}).flatMap(([path, item]) =>
  Object.entries(item as Any).map(([method, operation]) => ({
    name: `${method} ${path}`,
    operation,
  })),
)

/**
 * Visits every schema, with its place. What a rule between fields says (`if`, `then`, `else`) makes
 * no types.
 */
function eachSchema(visit: (schema: Any, place: string[], named: boolean) => void): void {
  const walk = (value: Any, place: string[], isSchema: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    const last = place.at(-1) as string
    if (['if', 'then', 'else', 'examples', 'default', 'mapping'].includes(last)) return
    const map = ['properties', 'schemas'].includes(last) && !isSchema
    if (isSchema) visit(value, place, place.length === 3 && place[1] === 'schemas')
    for (const [key, child] of Object.entries(value))
      walk(
        child,
        [...place, key],
        map || ['schema', 'items', 'additionalProperties'].includes(key) || inList(place),
      )
  }
  const inList = (place: string[]): boolean =>
    ['allOf', 'oneOf', 'anyOf'].includes(place.at(-1) as string)
  walk(
    { paths: document.paths, webhooks: document.webhooks, components: document.components },
    [],
    false,
  )
}

const found = (wrong: (schema: Any, place: string[], named: boolean) => boolean): string[] => {
  const places: string[] = []
  eachSchema((schema, place, named) => {
    if (wrong(schema, place, named)) places.push(place.join('/'))
  })
  return places
}

const hasType = ({ type }: Any, wanted: string): boolean =>
  type === wanted || (type?.includes?.(wanted) ?? false)

const validatorOf = (name: string) => ajv.getSchema(`bursar#/components/schemas/${name}`) as Any

describe('the OpenAPI document', () => {
  it('has a name for every object and every enumeration', () => {
    let seen = 0
    eachSchema(() => seen++)
    assert.ok(seen > 1_000, `${seen} schemas`)
    const extendsOther = (place: string[]) => place.at(-2) === 'allOf'
    assert.deepEqual(
      found(
        (schema, place, named) =>
          !named && !extendsOther(place) && (hasType(schema, 'object') || 'properties' in schema),
      ),
      [],
    )
    assert.deepEqual(
      found((schema, _place, named) => !named && ('enum' in schema || 'oneOf' in schema)),
      [],
    )
    assert.deepEqual(
      found(
        ({ anyOf }) =>
          anyOf !== undefined && !(anyOf.length === 2 && anyOf[0].$ref && anyOf[1].type === 'null'),
      ),
      [],
      'one of several types: only a named one, or null',
    )
  })

  it('has a field of one value as a text with that value, which generators take, and no reference beside it', () => {
    assert.deepEqual(
      found(
        (schema) =>
          'const' in schema && ('$ref' in schema || 'enum' in schema || schema.type !== 'string'),
      ),
      [],
    )
    const types = Object.entries<Any>(document.webhooks).map(([type, { post }]) => {
      const { $ref } = post.requestBody.content['application/json'].schema
      const [, own] = schemas[$ref.split('/').at(-1)].allOf
      return [type, own.properties.type]
    })
    assert.ok(types.length >= 30)
    for (const [type, schema] of types) assert.deepEqual(schema, { type: 'string', const: type })
  })

  it('has no two names that are one in a language that writes them without case, dots or underscores', () => {
    const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const names = [
      ...Object.keys(schemas),
      ...Object.keys(parameters),
      ...Object.keys(responses),
    ].map(plain)
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    )
    // What Kotlin of openapi-generator brings along.
    const brought = [
      'ApiClient',
      'ApiResponse',
      'PartConfig',
      'RequestConfig',
      'RequestMethod',
      'Response',
      'ResponseType',
      'Serializer',
    ]
    assert.deepEqual(
      names.filter((name) => brought.map(plain).includes(name)),
      [],
    )
    // What a generator would make of a field that it has to name: none may be a name that is taken.
    const derived = Object.entries(schemas as Record<string, Any>).flatMap(
      ([name, { properties = {} }]) =>
        Object.entries(properties as Record<string, Any>)
          .filter(([, { enum: values, type }]) => values || type === 'object')
          .map(([field]) => plain(name + field)),
    )
    assert.deepEqual(
      derived.filter((name) => names.includes(name)),
      [],
    )
    const ids = operations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    // A tag becomes a class: that of what endpoints get may not be that of what is asked.
    const tagsOf = (part: object) =>
      new Set(
        Object.values(part).flatMap((item: Any) => Object.values(item).flatMap((o: Any) => o.tags)),
      )
    assert.deepEqual(
      [...tagsOf(document.webhooks)].filter((tag) => tagsOf(document.paths).has(tag)),
      [],
    )
  })

  it('says how wide every integer is, and that amounts and counts have 64 bits', () => {
    assert.deepEqual(
      found((schema) => hasType(schema, 'integer') && !['int32', 'int64'].includes(schema.format)),
      [],
    )
    for (const [name, field] of [
      ['Wallet', 'available'],
      ['CreatePayout', 'amount'],
      ['Payout', 'destination_amount'],
      ['Invoice', 'collect_amount'],
      ['Collection', 'payments_count'],
      ['PageInfo', 'totalDocs'],
      ['PageInfo', 'nextPage'],
    ] as const)
      assert.equal(schemas[name].properties[field].format, 'int64', `${name}.${field}`)
    assert.equal(parameters.Page.schema.format, 'int64')
  })

  it('gives every schema one type that clients have', () => {
    const untyped = (schema: Any) =>
      !['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema)
    assert.deepEqual(found(untyped), [])
    assert.deepEqual(
      found(({ type }) => Array.isArray(type) && !(type.length === 2 && type[1] === 'null')),
      [],
    )
    assert.deepEqual(
      found((schema, place) => schema.type === 'null' && place.at(-2) !== 'anyOf'),
      [],
    )
    // Java of openapi-generator 7.25 has it as it stands, which is no Java.
    assert.deepEqual(
      found((schema) => typeof schema.default === 'object' && !Array.isArray(schema.default)),
      [],
    )
    // Of named fields and this beside them openapi-generator makes a map, which has lost them.
    assert.deepEqual(
      found(
        (schema) =>
          'additionalProperties' in schema &&
          (schema.additionalProperties === false || schema.properties || schema.allOf),
      ),
      [],
    )
  })

  it('references only what it has, and has only what is referenced', () => {
    const text = JSON.stringify(document)
    const refs = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(
        ([, kind, name]) => `${kind}/${name}`,
      ),
    )
    const has = Object.entries({ schemas, parameters, headers, responses }).flatMap(
      ([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`),
    )
    assert.deepEqual(
      [...refs].filter((ref) => !has.includes(ref)),
      [],
    )
    assert.deepEqual(
      has.filter((name) => !refs.has(name)),
      [],
    )
    for (const event of Object.keys(events))
      assert.ok(document.webhooks[event].post.operationId.startsWith('on'), event)
  })

  it('says of every operation and every group what it does', () => {
    for (const { name, operation } of operations) {
      assert.ok(operation.summary && operation.description, name)
      for (const tag of operation.tags)
        assert.ok(
          document.tags.some((each: Any) => each.name === tag),
          `${name}: ${tag}`,
        )
    }
    for (const { name, description } of document.tags) assert.ok(description, name)
  })

  it('is no larger than it must be', () => {
    const bytes = Buffer.byteLength(JSON.stringify(document))
    assert.ok(bytes < 530_000, `${bytes} bytes: share what is said twice, before this is raised`)
  })

  it('requires a body only where one is', () => {
    const requiredOf = (path: string, method = 'post') =>
      document.paths[path][method].requestBody.required
    assert.equal(requiredOf('/payouts'), true)
    assert.equal(requiredOf('/virtual-accounts/{id}/simulate-deposit'), false)
    assert.equal(requiredOf('/crypto/wallets'), false)
    assert.equal(requiredOf('/products/{id}', 'put'), false)
  })

  it('has the headers of every success', () => {
    for (const { name, operation } of operations.filter(({ name }) => name.includes('/'))) {
      const [, given] = Object.entries(operation.responses).find(([status]) =>
        status.startsWith('2'),
      ) as [string, Any]
      const answer = given.$ref ? responses[given.$ref.split('/').at(-1)] : given
      assert.ok(answer.headers['X-Request-Id'], name)
      assert.equal('RateLimit-Limit' in answer.headers, name !== 'get /health', name)
    }
    assert.ok(responses.PayoutSuccess.headers['Idempotent-Replayed'])
    assert.ok(!document.paths['/payouts'].get.responses[200].headers['Idempotent-Replayed'])
  })

  it('says where money can be sent, and what a share is', () => {
    const destination = validatorOf('PayoutDestination')
    for (const good of [
      { bank_code: '058', account_number: '0123456789' },
      {
        country: 'ng',
        currency: 'ngn',
        bank_code: '058',
        account_number: '0123456789',
        account_name: 'Ada',
      },
      {
        country: 'us',
        routing_number: '021000021',
        account_number: '12345',
        account_name: 'Ada',
        account_type: 'savings',
      },
      { currency: 'usdc', chain: 'base', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
    ])
      assert.ok(destination(good), JSON.stringify(destination.errors))
    for (const bad of [
      {},
      { bank_code: '058' },
      { country: 'us', bank_code: '058', account_number: '0123456789' },
      {
        currency: 'usdc',
        chain: 'base',
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        bank_code: '058',
      },
    ])
      assert.ok(!destination(bad), JSON.stringify(bad))
    const share = validatorOf('DistributionShare')
    assert.ok(share({ name: 'Ada', percentage_bps: 100, destination: null }))
    assert.ok(share({ name: 'Ada', flat_amount: 100 }))
    assert.ok(!share({ name: 'Ada' }))
    assert.ok(!share({ name: 'Ada', percentage_bps: 100, flat_amount: 100 }))
  })

  it('says the rules between fields', () => {
    const email = 'ada@example.com'
    const id = '6925f3a1c0ffee00c0ffee01'
    const lines = [{ product: id, quantity: 1 }]
    for (const [name, good, bad] of [
      [
        'CreateCustomer',
        { email, first_name: 'Ada', last_name: 'Okafor' },
        { email, first_name: 'Ada' },
      ],
      ['CreateCustomer', { email, name: 'Ada' }, { email }],
      ['CreateVirtualAccount', { currency: 'ngn', customer: id }, { currency: 'ngn' }],
      [
        'CreateVirtualAccount',
        { currency: 'ngn', kind: 'dynamic', amount: 1 },
        { currency: 'ngn', kind: 'dynamic' },
      ],
      [
        'CreateVirtualAccount',
        { currency: 'ngn', customer: id },
        { currency: 'ngn', customer: id, amount: 1 },
      ],
      [
        'CreateCollection',
        { name: 'Fees', currency: 'ngn', amount: 1 },
        { name: 'Fees', currency: 'ngn', amount: 1, min_amount: 1 },
      ],
      [
        'CreateInvoice',
        { customer: id, lines, reminders: {} },
        { customer: id, lines, reminders: { days_before: [1] } },
      ],
      ['AdvanceTestClock', { advance: '3d' }, { advance: 'tomorrow' }],
      [
        'CreateWebhook',
        { url: 'https://shop.example/hooks' },
        { url: 'http://shop.example/hooks' },
      ],
    ] as const) {
      const validate = validatorOf(name)
      assert.ok(validate(good), `${name} ${JSON.stringify(validate.errors)}`)
      assert.ok(!validate(bad), `${name} ${JSON.stringify(bad)}`)
    }
    assert.deepEqual(schemas.BankCountry.enum, ['ng', 'us'])
    assert.ok(
      new RegExp(parameters.IdempotencyKey.schema.pattern).test('order-1') &&
        !/^[!-~]+$/.test('order 1'),
    )
  })
})
