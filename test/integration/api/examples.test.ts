/**
 * Goal: every example of the OpenAPI document is true: the server takes each whole body, and each
 * record is one that it really answered. Method: every operation with a body is sent its example,
 * with the ids of records that there are in the place of those in it; then every GET is asked, of
 * each record that there is until one gives something. What is sent and what comes is held against
 * the document's schemas. The records are kept in `src/api/http/examples.json`, with neutral ids,
 * times and secrets: `npm run examples` writes it anew.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type KeyHolder, keyWith, ownAccount } from '../../support/approvers.ts'
import { type LocalNetwork, startNetwork } from '../../support/evm.ts'
import { type Json, settled, startServer, type TestServer, until } from '../../support/harness.ts'
import { proveNow } from '../../support/proven.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

const file = new URL('../../../src/api/http/examples.json', import.meta.url)
const examples: Record<string, Json> = JSON.parse(readFileSync(file, 'utf8'))
const updates = process.env.UPDATE_EXAMPLES !== undefined
const isId = /^[0-9a-f]{24}$/

/**
 * Where a field of a body, or a parameter of a path, gets its record from, where it is not the list
 * of its own name.
 */
const listOf: Record<string, string> = {
  customer: '/customers',
  product: '/products',
  distribution: '/distributions',
  webhook_id: '/webhooks',
}

/** Values of parameters that name no record that a POST makes. */
const values: Record<string, string> = { country: 'ng' }
const queries: Record<string, string> = {
  '/misc/{country}/resolve': '?bank_code=058&account_number=0123456789',
}

type Operation = { method: string; path: string; operation: Json }

let network: LocalNetwork
let server: TestServer
let receiver: Receiver
let approver: KeyHolder
let document: Json
let schemas: Ajv2020
let operations: Operation[]
/** What was answered, by the name of its schema. */
const answered = new Map<string, Json>()
/** Records that were made, newest first, by the path of their list. */
const known = new Map<string, Json[]>()
/** What stood in the example, by what was sent in its place. */
const references = new Map<string, string>()

const resolved = (schema: Json): Json =>
  schema?.$ref
    ? resolved(
        schema.$ref
          .slice(2)
          .split('/')
          .reduce((at: Json, name: string) => at[name], document),
      )
    : schema

/** The schema of what an operation gives one of, by its name, and where in its `data` they are. */
function recordOf({ operation }: Operation): { name: string; pick: (data: Json) => Json } | null {
  const [, given] =
    Object.entries<Json>(operation.responses).find(([status]) => status.startsWith('2')) ?? []
  const data = resolved(resolved(given).content['application/json']?.schema)?.properties?.data
  if (!data) return null
  const nameOf = (schema: Json): string | undefined => schema?.$ref?.split('/').at(-1)
  if (data.type === 'array') return { name: nameOf(data.items) ?? '', pick: ([first]) => first }
  const docs = resolved(data).allOf?.[1]?.properties?.docs
  if (docs) return { name: nameOf(docs.items) ?? '', pick: ({ docs: [first] }) => first }
  const name = nameOf(data)
  return name ? { name, pick: (one) => one } : null
}

const exampleOf = ({ operation }: Operation): Json =>
  resolved(operation.requestBody.content['application/json'].schema).examples?.[0]
const find = (method: string, path: string): Operation | undefined =>
  operations.find((one) => one.method === method && one.path === path)

/** Fails unless a value is what the document says of it. */
function assertValid(schema: Json, value: Json, said: string): void {
  const validate = schemas.compile({ $ref: `bursar${schema.$ref}` })
  assert.ok(validate(value), `${said}: ${JSON.stringify(validate.errors)}`)
}

/** Asks, and remembers what comes. */
async function ask(one: Operation, path: string, body?: Json): Promise<Json> {
  // What creates payouts cannot approve them.
  const { call } = one.operation['x-scope'] === 'approve' ? approver : server
  const answer = await call(one.method.toUpperCase(), path, body)
  const said = `${one.method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`
  assert.ok(answer.status < 300, said)
  assertValid(
    resolved(one.operation.responses[answer.status]).content['application/json'].schema,
    answer.body,
    said,
  )
  const record = recordOf(one)
  const got = answer.data === null || !record ? undefined : record.pick(answer.data)
  if (record && got) answered.set(record.name, got)
  return answer.data
}

/**
 * Makes a record by the example of the POST to its list, or takes the newest of a list that none
 * makes.
 */
async function make(list: string): Promise<Json> {
  const post = find('post', list)
  const record = post
    ? await ask(post, list, post.operation.requestBody && (await filled(exampleOf(post))))
    : (await server.call('GET', list)).data?.docs?.[0]
  assert.ok(record, `say in \`values\` or \`listOf\` what stands at the end of ${list}/`)
  known.set(list, [record, ...(known.get(list) ?? [])])
  return record
}

/** An invoice that was paid and refunded: nothing else makes a credit note. */
async function refunded(): Promise<void> {
  const invoice = await make('/invoices')
  const { payment } = (await server.call('POST', `/invoices/${invoice.id}/finalize`)).data
  await server.call('POST', `/payments/${payment}/simulate`, {
    outcome: 'completed',
    method: 'card',
  })
  const refund = (await server.call('POST', '/refunds', { payment })).data
  await server.call('POST', `/refunds/${refund.id}/simulate`, { outcome: 'completed' })
}

/**
 * A payout schedule that has run, with none beside it. The clock that moves leaves the other
 * records behind.
 */
async function ran(): Promise<void> {
  for (const other of (await server.call('GET', '/payout-schedules')).data.docs)
    await server.call('DELETE', `/payout-schedules/${other.id}`)
  const { id } = await make('/payout-schedules')
  await server.call('POST', '/test/clock', { advance: '8d' })
  for (const path of ['/payout-schedules/{id}', '/payout-schedules/{id}/runs'])
    await ask(find('get', path) as Operation, path.replace('{id}', id))
}

/** A payment that was paid, as refunds are of. */
async function paid(): Promise<Json> {
  const payment = await make('/payments')
  await server.call('POST', `/payments/${payment.id}/simulate`, {
    outcome: 'completed',
    method: 'card',
  })
  return payment
}

/** An example with records that there are, and with references that nothing has. */
async function filled(value: Json, field = ''): Promise<Json> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => filled(item, field)))
  if (typeof value === 'object' && value !== null) {
    const copy: Json = {}
    for (const [name, child] of Object.entries(value)) copy[name] = await filled(child, name)
    return copy
  }
  if (field === 'reference') {
    const unused = `${value}-${references.size}`
    references.set(unused, value)
    return unused
  }
  if (field === 'url') return receiver.url
  if (!isId.test(value)) return value
  if (field === 'payment') return (await paid()).id
  if (field === 'quote')
    return (await ask(find('post', '/conversions/quote') as Operation, '/conversions/quote', swap))
      .id
  if (field === 'beneficiary') return (await ownAccount(server)).id
  if (field === 'event_id') return (await server.call('GET', '/events')).data.docs[0].id
  assert.ok(listOf[field], `say in \`listOf\` where ${field} comes from`)
  return (await make(listOf[field])).id
}

/** A conversion that a quote is asked of. */
const swap = { amount: 155_000, currency: 'ngn', destination_currency: 'usd' }

/** A dispute of a payment that was paid: none is made by a list. */
async function disputed(): Promise<Json> {
  const dispute = await ask(
    find('post', '/payments/{id}/simulate-dispute') as Operation,
    `/payments/${(await paid()).id}/simulate-dispute`,
    {},
  )
  known.set('/disputes', [dispute, ...(known.get('/disputes') ?? [])])
  return dispute
}

/** A batch whose payout failed, as retries are of. */
async function failedBatch(): Promise<Json> {
  const { data } = await server.call('POST', '/payouts/batch', {
    reference: 'failing',
    currency: 'ngn',
    lines: [{ amount: 50_000, destination: { bank_code: '058', account_number: '0123456789' } }],
  })
  const path = `/payout-batches/${data.id}`
  await until(async () => (await server.call('GET', path)).data.status === 'completed')
  await server.call('POST', '/payouts/failing-1/simulate', { outcome: 'failed' })
  return data
}

/**
 * The paths of an operation, of each record that was made; where none was, one is. @param own
 * whether of a new record only
 */
async function pathsOf({ path }: Operation, own = false): Promise<string[]> {
  const query = queries[path] ?? ''
  const [whole, name] = /\{(\w+)\}/.exec(path) ?? []
  if (!whole || !name) return [path + query]
  const value = name === 'month' ? new Date().toISOString().slice(0, 7) : values[name]
  if (value) return [path.replace(whole, value) + query]
  // Any record can be explained.
  const list = path
    .slice(0, path.indexOf(`/${whole}`))
    .replace(/\/reference$/, '')
    .replace(/^\/explain$/, '/payouts')
  const maker =
    list === '/disputes'
      ? disputed
      : path === '/payments/{id}/simulate-dispute'
        ? paid
        : path === '/payout-batches/{id}/retry'
          ? failedBatch
          : () => make(list)
  const records = own ? [await maker()] : (known.get(list) ?? [await maker()])
  return records.map((record) => {
    assert.ok(record[name], `${path}: say in \`values\` what ${name} is`)
    return path.replace(whole, record[name]) + query
  })
}

/** The path of an operation, of a new record. */
async function pathOf(one: Operation): Promise<string> {
  const [path] = await pathsOf(one, true)
  return path as string
}

/** Has tokens arrive on a chain, at the address of a new crypto wallet, and be credited. */
async function depositOnChain(): Promise<void> {
  const read = async () => (await server.app.db.query('select from evm_networks')).length > 0
  await until(read)
  const { id, address } = await make('/crypto/wallets')
  await network.node.transfer(network.usdc, 1, address, 25_000_000n)
  await network.node.mine(network.confirmations)
  const credited = async () =>
    (await server.call('GET', `/crypto/wallets/${id}/deposits?status=credited`)).data.totalDocs
  await until(credited)
}

/** A record as it may be shown to anyone: with ids, times and secrets that nothing has. */
function neutral(record: Json): Json {
  const text = JSON.stringify(record)
  const ids = new Map<string, string>()
  const times = [...text.matchAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g)].map(([, time]) =>
    Date.parse(time as string),
  )
  const least = Math.min(...times.filter((time) => time > Date.parse('2026-01-01')))
  const neutralId = (known: string): string => {
    const id = ids.get(known) ?? `6925f3a1c0ffee00c0ffee${String(ids.size + 1).padStart(2, '0')}`
    ids.set(known, id)
    return id
  }
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return value.slice(0, value.length > 3 ? 1 : 3).map(walk)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, walk(child)]))
    if (typeof value !== 'string') return value
    if (/^20[2-4]\d-\d\d-\d\dT[\d:.]+Z$/.test(value)) {
      const minutes = Math.floor((Date.parse(value) - least) / 60_000)
      return new Date(Date.parse('2026-11-21T09:30:00Z') + minutes * 60_000).toISOString()
    }
    return (references.get(value) ?? value)
      .replaceAll(server.url, 'https://pay.example.com')
      .replaceAll(receiver.url, 'https://shop.example/hooks')
      .replaceAll(/\b[0-9a-f]{24}\b/g, neutralId)
      .replaceAll('127.0.0.1', '203.0.113.7')
      .replaceAll(/(\/pay\/)[\w-]+/g, '$1aqX7eY2mB9kT4wZ1vN8sL3pRd')
      .replace(/^anvil$/, 'base')
      .replaceAll(/\b(weh|whsec|sk_test|sk_live)_[\w+/=]+/g, '$1_…')
      .replace(/^sbx_[0-9a-f]{24}$/, 'sbx_6925f3a1c0ffee00c0ffee01')
      .replace(/^\d{10}$/, '0123456789')
      .replaceAll(/0x[0-9a-fA-F]{64}/g, `0x${'5aae'.repeat(16)}`)
      .replaceAll(/0x[0-9a-fA-F]{40}\b/g, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  }
  return walk(record)
}

describe('the examples of the document', () => {
  before(async () => {
    receiver = await startReceiver()
    // Long enough that what is to be simulated has not ended by itself.
    const env = {
      SANDBOX_DELAY: '10m',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
    }
    network = await startNetwork()
    server = await startServer({ ...network.env, ...env })
    approver = await keyWith(server, ['approve'])
    document = (await server.callAs(null)('GET', '/openapi.json')).body
    schemas = new Ajv2020({ strict: false, allErrors: true })
    formats.default(schemas)
    schemas.addSchema(document, 'bursar')
    operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).map(([method, operation]) => ({ method, path, operation })),
    )
    for (const currency of ['ngn', 'usd'] as const) await server.fund(currency, 1_000_000_000)
  })
  after(async () => {
    await server?.stop()
    await network?.stop()
    await receiver?.stop()
  })

  it('are whole bodies, one for each operation with a body, and the server takes each', async () => {
    const withBody = operations.filter(({ operation }) => operation.requestBody)
    assert.ok(withBody.length > 25, `${withBody.length} operations with a body`)
    assert.deepEqual(
      withBody.filter((one) => !exampleOf(one)).map(({ operation }) => operation.operationId),
      [],
      'give these routes an `example`, beside their `schema`',
    )
    // A clock that has moved has left the others behind.
    const isClock = ({ path }: Operation) => path === '/test/clock'
    for (const one of [...withBody.filter((each) => !isClock(each)), ...withBody.filter(isClock)]) {
      const { schema } = one.operation.requestBody.content['application/json']
      assertValid(schema, exampleOf(one), one.operation.operationId)
      await ask(one, await pathOf(one), await filled(exampleOf(one)))
    }
    await settled(server.app)
  })

  it('are records that the server answered, one of each kind', async () => {
    await depositOnChain()
    await refunded()
    values.day = await proveNow(server)
    known.set(
      '/transactions',
      (await server.call('GET', '/transactions?type=simulated_fund')).data.docs,
    )
    for (const one of operations.filter(({ method }) => method === 'get')) {
      const record = recordOf(one)
      if (!record) continue
      // A list of one record can be empty where that of another is not.
      for (const [nth, path] of (await pathsOf(one)).entries())
        if (nth === 0 || !answered.has(record.name)) await ask(one, path)
    }
    // What only an operation without a body gives.
    for (const one of operations.filter(
      ({ method, operation }) => method !== 'get' && !operation.requestBody,
    )) {
      const record = recordOf(one)
      if (record && !answered.has(record.name)) await ask(one, await pathOf(one))
    }
    await ran()
    if (updates) {
      const sorted = [...answered].sort(([a], [b]) => (a < b ? -1 : 1))
      for (const [name, record] of sorted) examples[name] = neutral(record)
      for (const name of Object.keys(examples)) if (!answered.has(name)) delete examples[name]
      writeFileSync(
        file,
        `${JSON.stringify(Object.fromEntries(Object.entries(examples).sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
      )
    }
    const wanted = [...new Set(operations.flatMap((one) => recordOf(one)?.name ?? []))].sort()
    assert.ok(wanted.length > 25, `${wanted.length} kinds of records`)
    assert.deepEqual(
      Object.keys(examples).sort(),
      wanted,
      'write them anew with `npm run examples`',
    )
    for (const name of wanted) {
      const schema = `#/components/schemas/${name}`
      if (!updates) assert.deepEqual(resolved({ $ref: schema }).examples, [examples[name]], name)
      assertValid({ $ref: schema }, examples[name], `${name}: run \`npm run examples\``)
      const fields = (record: Json) => Object.keys(record).sort()
      assert.deepEqual(
        fields(examples[name]),
        fields(neutral(answered.get(name))),
        `${name}: run \`npm run examples\``,
      )
    }
  })

  it('have no secret in them', () => {
    const text = JSON.stringify(examples)
    assert.ok(!/(weh|whsec|sk_test|sk_live)_\w/.test(text), 'a key or a signing secret')
    assert.ok(!/localhost|127\.0\.0\.1/.test(text), 'an address of the test')
    for (const [id] of text.matchAll(/\b[0-9a-f]{24}\b/g))
      assert.match(id, /^6925f3a1c0ffee00c0ffee\d\d$/)
  })
})
