/**
 * Lists that are walked, streams that are followed, and amounts that come whole.
 */
import assert from 'node:assert/strict'
import { bankAccount } from '../../test/support/actors.ts'
import type { Bench } from './bench.ts'
import type { Case } from './case.ts'
import type { Json } from './driver.ts'

const idsOf = (records: Json[]): string[] => records.map(({ id }) => id)

/** What was asked for in lists, as the proxy saw it. */
const queriesOf = ({ proxy }: Bench): URLSearchParams[] =>
  proxy.log.map(({ path }) => new URL(path, 'http://x').searchParams)

/**
 * Makes so many products of one name that no other has. @returns them, newest first, and the name
 */
async function makeProducts(t: Bench, count: number): Promise<{ name: string; ids: string[] }> {
  const name = t.unique('walked')
  const ids: string[] = []
  for (let n = 0; n < count; n++)
    ids.unshift(
      (await t.call('products.create', { body: { name, amount: 1_000 + n, currency: 'ngn' } })).id,
    )
  return { name, ids }
}

/** A product as the server would have answered, with another amount. */
const productWith = (amount: string): string =>
  `{"message":"Product","data":{"id":"6925f3a1c0ffee00c0ffee01","name":"A","amount":${amount},"currency":"ngn","metadata":{"n":12345678901234567890,"text":"12345678901234567890"}}}`
const answerWith = (amount: string) => ({ status: 200, body: productWith(amount) })
const product = { args: ['6925f3a1c0ffee00c0ffee01'] }
const most = 9_007_199_254_740_991

const payoutOf = (reference: string) => ({
  reference,
  amount: 10_000,
  currency: 'ngn',
  method: 'bank_transfer',
  destination: bankAccount(),
})

/** The place in the stream after all that has happened. */
async function placeNow({ server, key }: Bench): Promise<string> {
  const { body } = await fetch(`${server.url}/events/stream`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const reader = (body ?? assert.fail('the stream has no body')).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  const [, place] = /^id: (.*)$/m.exec(Buffer.from(value ?? []).toString()) ?? []
  return place ?? assert.fail('the stream begins with a place')
}

/** Makes events by payouts that are canceled. @returns the references, in order */
async function makeEvents(t: Bench, count: number): Promise<string[]> {
  const references: string[] = []
  for (let n = 0; n < count; n++) {
    const reference = t.unique('streamed')
    references.push(reference)
    await t.call('payouts.create', { body: payoutOf(reference) })
    await t.call('payouts.cancel', { args: [reference] })
  }
  return references
}

const pagination: Case[] = [
  {
    group: 'pagination',
    name: 'a list gives a page, and where it stands',
    async run(t) {
      const { name, ids } = await makeProducts(t, 3)
      const page = await t.call('products.list', { query: { search: name, limit: 2 } })
      assert.deepEqual(idsOf(page.docs), ids.slice(0, 2))
      assert.deepEqual([page.totalDocs, page.limit, page.hasNextPage], [3, 2, true])
    },
  },
  {
    group: 'pagination',
    name: 'a list is walked by its cursor, to the end and with its filters',
    async run(t) {
      const { name, ids } = await makeProducts(t, 5)
      t.proxy.next()
      assert.deepEqual(
        idsOf(await t.collect('products.list', 100, { query: { search: name, limit: 2 } })),
        ids,
      )
      const queries = queriesOf(t)
      assert.deepEqual(
        queries.map((query) => [
          query.get('after'),
          query.get('search'),
          query.get('limit'),
          query.get('page'),
        ]),
        [null, ids[1], ids[3]].map((after) => [after, name, '2', null]),
      )
    },
  },
  {
    group: 'pagination',
    name: 'a walk that stops asks for no further page',
    async run(t) {
      const { name, ids } = await makeProducts(t, 4)
      t.proxy.next()
      assert.deepEqual(
        idsOf(await t.collect('products.list', 2, { query: { search: name, limit: 2 } })),
        ids.slice(0, 2),
      )
      assert.equal(t.proxy.log.length, 1)
    },
  },
  {
    group: 'pagination',
    name: 'an empty list is walked by one request',
    async run(t) {
      t.proxy.next()
      assert.deepEqual(
        await t.collect('products.list', 10, { query: { search: t.unique('nothing') } }),
        [],
      )
      assert.equal(t.proxy.log.length, 1)
    },
  },
  {
    group: 'pagination',
    name: 'a list without a cursor is walked by its pages',
    async run(t) {
      const lines = [1, 2, 3, 4, 5].map((n) => ({ amount: n * 10_000, destination: bankAccount() }))
      const body = { reference: t.unique('walked'), currency: 'ngn', dry_run: true, lines }
      const { id } = await t.call('payoutBatches.create', { body })
      t.proxy.next()
      const walked = await t.collect('payoutBatches.listLines', 100, {
        args: [id],
        query: { limit: 2 },
      })
      assert.deepEqual(
        walked.map(({ line }) => line),
        [1, 2, 3, 4, 5],
      )
      assert.deepEqual(
        queriesOf(t).map((query) => query.get('page') ?? '1'),
        ['1', '2', '3'],
      )
    },
  },
  {
    group: 'pagination',
    name: 'a walk goes on when an answer is lost, without missing a record',
    async run(t) {
      const { name, ids } = await makeProducts(t, 5)
      t.proxy.next('pass', 'lose answer', 'pass', { status: 502, body: '' })
      assert.deepEqual(
        idsOf(await t.collect('products.list', 100, { query: { search: name, limit: 2 } })),
        ids,
      )
    },
  },
]

const stream: Case[] = [
  {
    group: 'stream',
    name: 'events are followed from the first on',
    async run(t) {
      await makeEvents(t, 1)
      const events = await t.collect('events.stream', 3, { query: { after: '0' } })
      const { docs } = (await t.http('GET', '/events?limit=100')).data
      assert.equal(events.length, 3)
      for (const event of events) {
        assert.ok(event.id && event.timestamp && event.payload)
        assert.match(event.type, /^[\w.]+$/)
      }
      assert.ok(docs.length > 0)
    },
  },
  {
    group: 'stream',
    name: 'a stream that is cut goes on where it was, with none missed and none twice',
    async run(t) {
      const all = await t.collect('events.stream', 6, { query: { after: '0' } })
      t.proxy.next({ cutAfter: 2 }, { cutAfter: 2 }, 'pass')
      assert.deepEqual(
        idsOf(await t.collect('events.stream', 6, { query: { after: '0' } })),
        idsOf(all),
      )
      const [first, second, third] = t.proxy.log
      assert.equal(t.proxy.log.length, 3)
      assert.equal(first?.headers['last-event-id'], undefined)
      const places = [second, third].map((asked) => asked?.headers['last-event-id'])
      assert.ok(
        places.every((place) => typeof place === 'string') && places[0] !== places[1],
        String(places),
      )
    },
  },
  {
    group: 'stream',
    name: 'an event comes when it happens, and waits for no other',
    async run(t) {
      const after = await placeNow(t)
      const body = payoutOf(t.unique('streamed'))
      await t.http('POST', '/payouts', body)
      const began = performance.now()
      const [event] = await t.collect('events.stream', 1, { query: { after } })
      assert.equal(event.payload.reference, body.reference)
      // The server sends a comment each 15 seconds, which would push it out of a buffer.
      assert.ok(performance.now() - began < 10_000)
    },
  },
  {
    group: 'stream',
    name: 'a stream that is refused ends with the refusal',
    async run(t) {
      const asked = t.collect('events.stream', 1, { query: { after: 'nonsense' } })
      await t.refused(asked, { type: 'InvalidRequestError', status: 400, code: 'invalid_cursor' })
    },
  },
]

const money: Case[] = [
  {
    group: 'money',
    name: 'the largest amount goes there and back whole',
    async run(t) {
      const body = { name: 'A yacht', amount: { $int: String(most) }, currency: 'ngn' }
      t.proxy.next()
      const made = await t.call('products.create', { body })
      assert.match(t.proxy.log[0]?.body ?? '', /"amount": ?9007199254740991\b/)
      assert.equal(made.amount, most)
      assert.equal((await t.call('products.get', { args: [made.id] })).amount, most)
    },
  },
  {
    group: 'money',
    name: 'an amount beyond 2^53 that comes is never rounded',
    async run(t) {
      for (const amount of ['9007199254740993', '-9007199254740993', '9223372036854775807']) {
        t.proxy.next(answerWith(amount))
        const asked = t.call('products.get', product)
        if (t.driver.integers === 'int64') assert.deepEqual((await asked).amount, { $int: amount })
        else await t.refused(asked, { type: 'BursarError' })
        // Asking again would not help.
        assert.equal(t.proxy.log.length, 1)
      }
    },
  },
  {
    group: 'money',
    name: 'an amount beyond 2^53 that goes is never rounded',
    async run(t) {
      const body = { name: 'A moon', amount: { $int: '9007199254740993' }, currency: 'ngn' }
      t.proxy.next()
      const asked = t.call('products.create', { body })
      if (t.driver.integers === 'int64') {
        await t.refused(asked, { type: 'InvalidRequestError', status: 422 })
        assert.match(t.proxy.log[0]?.body ?? '', /"amount": ?9007199254740993\b/)
      } else {
        await t.refused(asked, { type: 'BursarError' })
        assert.equal(t.proxy.log.length, 0)
      }
    },
  },
  {
    group: 'money',
    name: 'bigint clients take and give all 64 bits, and count in numbers',
    needs: 'bigint',
    async run(t) {
      const client = { money: 'bigint' as const }
      t.proxy.next(answerWith('9223372036854775807'))
      assert.deepEqual((await t.call('products.get', { ...product, client })).amount, {
        $int: '9223372036854775807',
      })
      const body = { name: 'A moon', amount: { $int: '9007199254740993' }, currency: 'ngn' }
      t.proxy.next()
      await t.refused(t.call('products.create', { body, client }), {
        type: 'InvalidRequestError',
        status: 422,
      })
      assert.match(t.proxy.log[0]?.body ?? '', /"amount": ?9007199254740993\b/)
      const page = await t.call('products.list', { query: { limit: 1 }, client })
      assert.equal(typeof page.totalDocs, 'number')
    },
  },
  {
    group: 'money',
    name: 'a large number in what is yours spoils nothing',
    async run(t) {
      t.proxy.next(answerWith('5'))
      const { amount, metadata } = await t.call('products.get', product)
      assert.equal(amount, 5)
      assert.equal(metadata.text, '12345678901234567890')
    },
  },
]

export const pages: Case[] = [...pagination, ...stream, ...money]
