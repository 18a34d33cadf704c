/**
 * Goal: the double judges requests as Paystack's published schema does, and answers with the fields
 * that it publishes. Method: good and bad requests; and each answer's names and types beside the
 * published ones, less the places where Paystack's own samples differ from them.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { askerOf, dataOf, type Reply } from './paystack/asking.ts'
import { publishedIn } from './paystack/contract.ts'
import type { Json } from './paystack/shapes.ts'
import { type Double, orderOperations, startPaystack } from './paystack.ts'

const specs = process.env.PROVIDER_SPECS
const published = publishedIn(specs)
const skip =
  published === null &&
  'PROVIDER_SPECS names no folder with paystack.yaml: not held against what Paystack publishes'

let paystack: Double
let ask: ReturnType<typeof askerOf>
beforeEach(async () => {
  paystack = await startPaystack()
  ask = askerOf(paystack)
  paystack.live.operator.topUp(10_000_000)
})
afterEach(() => paystack.stop())

describe('a request', () => {
  it('in good form is no violation, whichever order begins with it', async () => {
    for (const name of orderOperations) {
      const response = await (await ask.order(name))()
      assert.ok(response.ok, `${name}: ${response.status} ${await response.text()}`)
    }
    assert.deepEqual(paystack.violations, [])
    assert.equal(paystack.published, published !== null)
  })

  const wrong: [string, () => Promise<Reply>, RegExp][] = [
    [
      'a transfer reference that is too short',
      () => ask.transfer(1_000, { reference: 'po-short' }),
      /reference must match/,
    ],
    [
      'a transfer reference in capitals',
      () => ask.transfer(1_000, { reference: 'PO-ABCDEFGHIJKLMNOP' }),
      /reference must match/,
    ],
    [
      'a transfer reference of 51 letters',
      () => ask.transfer(1_000, { reference: 'p'.repeat(51) }),
      /reference must match/,
    ],
    [
      'a transaction reference with an underscore',
      () => ask.initialize(1_000, { reference: 'tr_1' }),
      /reference must match/,
    ],
    [
      'an amount as text',
      () => ask.initialize(1_000, { amount: '1000' }),
      /amount must be integer/,
    ],
    ['half a kobo', () => ask.transfer(10.5), /amount must be integer/],
    [
      'another currency',
      () => ask.transfer(1_000, { currency: 'USD' }),
      /currency must be equal to constant: NGN/,
    ],
    [
      'no email',
      () => ask.initialize(1_000, { email: undefined }),
      /must have required property 'email'/,
    ],
    [
      'an end that is no time',
      () => ask.charge(50_000, { bank_transfer: { account_expires_at: 'soon' } }),
      /must match format/,
    ],
    [
      'a field of bank_transfer that there is not',
      () => ask.charge(50_000, { bank_transfer: { expiry: null } }),
      /additional/,
    ],
    [
      'a look-up without a bank',
      () => ask.get('/bank/resolve?account_number=0123456789'),
      /bank_code/,
    ],
    ['an operation that there is not', () => ask.get('/transfers'), /no such operation/],
    [
      'a refund of a number',
      () => ask.post('/refund', { transaction: 12 }),
      /transaction must be string/,
    ],
  ]
  for (const [what, send, expected] of wrong)
    it(`with ${what} is a violation`, async () => {
      await send()
      assert.match(paystack.violations.join('\n'), expected)
    })

  const wrongAsPublished: [string, () => Promise<Reply>, RegExp][] = [
    [
      'an unknown channel',
      () => ask.initialize(1_000, { channels: ['cheque'] }),
      /channels\/0 must be equal to one of/,
    ],
    [
      'a field that there is not',
      () => ask.transfer(1_000, { idempotency_key: 'x' }),
      /body.idempotency_key is not known/,
    ],
    [
      'a filter that there is not',
      () => ask.get('/transaction?since=2020'),
      /query.since is not known/,
    ],
    ['a status that there is not', () => ask.get('/transfer?status=done'), /query.status/],
    ['a country that there is not', () => ask.get('/bank?country=NG'), /query.country/],
  ]
  for (const [what, send, expected] of wrongAsPublished)
    it(`with ${what} is a violation of what is published`, { skip }, async () => {
      await send()
      assert.match(paystack.violations.join('\n'), expected)
    })
})

/**
 * Where Paystack's own published samples do not fit its schemas: these are null, though said to be
 * something.
 */
const mayBeNull =
  /\.(plan|description|email|first_name|last_name|phone|metadata|international_format_phone|custom_fields)$/

/**
 * A published schema's names and types against a value: what is missing, and what is of another
 * type.
 */
function differences(
  root: Json,
  schema: Json | undefined,
  value: unknown,
  place: string,
): string[] {
  if (schema === undefined) return []
  if (typeof schema.$ref === 'string') {
    const target = schema.$ref.split('/').slice(1)
    return differences(
      root,
      target.reduce((at, part) => at[part] as Json, root),
      value,
      place,
    )
  }
  if (mayBeNull.test(place) && (value === null || value === undefined)) return []
  if (Array.isArray(value))
    return value
      .slice(0, 1)
      .flatMap((one) => differences(root, schema.items as Json, one, `${place}[]`))
  const types = [schema.type ?? []].flat() as string[]
  const is = value === null ? 'null' : Number.isInteger(value) ? 'integer' : typeof value
  const fits =
    types.length === 0 || types.includes(is) || (is === 'integer' && types.includes('number'))
  if (!fits) return [`${place} is ${is}, published as ${types}`]
  if (is !== 'object') return []
  const properties = (schema.properties ?? {}) as Record<string, Json>
  const missing = ((schema.required ?? []) as string[]).filter((name) => !(name in (value as Json)))
  return [
    ...missing
      .map((name) => `${place}.${name}`)
      .filter((one) => !mayBeNull.test(one))
      .map((one) => `${one} is missing`),
    ...Object.entries(value as Json).flatMap(([name, part]) =>
      differences(root, properties[name], part, `${place}.${name}`),
    ),
  ]
}

describe('an answer', () => {
  it('has the names and types that are published', { skip }, async () => {
    const root = published as Json
    const paid = await ask.paid()
    const [sent, refund, customer] = [
      await ask.transfer(),
      await ask.refund(String(paid.id), 1_000),
      await ask.customer(),
    ]
    const { customer_code, id } = dataOf(customer)
    const answers: [string, string, Reply][] = [
      ['post', '/transaction/initialize', await ask.initialize()],
      [
        'get',
        '/transaction/verify/{reference}',
        await ask.get(`/transaction/verify/${paid.reference}`),
      ],
      ['get', '/transaction', await ask.get('/transaction?perPage=2&status=success')],
      ['get', '/transaction/{id}', await ask.get(`/transaction/${paid.id}`)],
      ['post', '/transferrecipient', await ask.recipient()],
      ['post', '/transfer', sent],
      [
        'get',
        '/transfer/verify/{reference}',
        await ask.get(`/transfer/verify/${dataOf(sent).reference}`),
      ],
      ['post', '/refund', refund],
      ['get', '/refund', await ask.get(`/refund?transaction=${paid.id}`)],
      ['get', '/refund/{id}', await ask.get(`/refund/${dataOf(refund).id}`)],
      ['post', '/customer', customer],
      ['get', '/customer/{code}', await ask.get(`/customer/${customer_code}`)],
      ['post', '/customer/{code}/identification', await ask.identify(customer_code)],
      ['post', '/dedicated_account', await ask.account(customer_code)],
      ['get', '/dedicated_account', await ask.get(`/dedicated_account?customer=${id}`)],
      ['get', '/bank', await ask.get('/bank?country=nigeria&use_cursor=true')],
      ['get', '/bank/resolve', await ask.resolve()],
      ['get', '/balance', await ask.get('/balance')],
      ['get', '/balance/ledger', await ask.get('/balance/ledger')],
    ]
    for (const [method, path, reply] of answers) {
      const $ref = ['', 'paths', path, method, 'responses', String(reply.status)]
      const response = $ref.slice(1).reduce((at, part) => at[part] as Json, root)
      const place = `${method} ${path}`
      const at =
        '$ref' in response
          ? String(response.$ref)
              .split('/')
              .slice(1)
              .reduce((one, part) => one[part] as Json, root)
          : response
      const schema = ((at.content as Json)['application/json'] as Json).schema as Json
      assert.deepEqual(differences(root, schema, reply.body, place), [])
    }
  })
})
