/**
 * Goal: each fault is what its name says, to whoever asks, for each operation that it can befall.
 * Method: every pair of the two lists, seen by a plain client; webhooks, by a receiver that checks
 * signatures; the hosted page, by its forms.
 */
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { until } from '../support/harness.ts'
import { askerOf, dataOf } from './paystack/asking.ts'
import {
  answerFaults,
  applies,
  beforeFaults,
  type Double,
  type Fault,
  type OperationName,
  operations,
  orderOperations,
  sign,
  startPaystack,
  webhookFaults,
} from './paystack.ts'

let paystack: Double
let ask: ReturnType<typeof askerOf>
beforeEach(async () => {
  paystack = await startPaystack({ settings: { slowMs: 150 } })
  ask = askerOf(paystack)
  paystack.live.operator.topUp(100_000_000)
})
afterEach(async () => {
  await paystack.stop()
  assert.deepEqual(paystack.violations, [])
  assert.deepEqual(paystack.audit(), [])
})

/** What a client sees of an answer, in a word. */
async function seen(send: () => Promise<Response>): Promise<string> {
  try {
    const response = await send()
    const text = await response.text()
    if (response.status !== 200 && response.status < 300) return 'fine'
    if (response.status !== 200) return String(response.status)
    const { status } = JSON.parse(text) as { status: boolean }
    return status ? 'fine' : 'status false'
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON'
    const { name, cause } = error as Error
    if (name === 'TimeoutError') return 'time-out'
    const refused = [cause, ...((cause as AggregateError | undefined)?.errors ?? [])] as {
      code?: string
    }[]
    return refused.some((one) => one?.code === 'ECONNREFUSED') ? 'no connection' : 'reset'
  }
}

const expected: Record<string, RegExp> = {
  no_connection: /^no connection$/,
  reset_before: /^reset$/,
  reset_after: /^reset$/,
  arrives_late: /^reset$/,
  timeout_before: /^time-out$/,
  timeout_after: /^time-out$/,
  error_before: /^500$/,
  error_after: /^500$/,
  rate_limited: /^429$/,
  unauthorized: /^401$/,
  truncated: /^no JSON$/,
  html: /^502$/,
  empty: /^no JSON$/,
  endless: /^time-out$/,
  redirect: /^302$/,
  status_false: /^status false$/,
}

/** How many records an operation has made. */
const madeBy = (name: OperationName): number => {
  const { books } = paystack.live
  const lists: Partial<Record<OperationName, unknown[]>> = {
    initialize: books.transactions,
    charge: books.transactions,
    create_customer: books.customers,
    open_account: books.accounts,
    create_recipient: books.recipients,
    transfer: books.transfers,
    refund: books.refunds,
    identify: books.customers.filter((one) => one.asked !== null),
  }
  return lists[name]?.length ?? 0
}

describe('a fault', () => {
  for (const fault of answerFaults)
    it(`${fault} is what its name says, for each operation`, async () => {
      for (const name of orderOperations.filter((one) => applies(one, fault))) {
        paystack.live.books.recipients.length = 0
        const send = await ask.order(name)
        const [before, asked] = [madeBy(name), paystack.requests.length]
        await paystack.fault(name, fault)
        const impatient = (): Promise<Response> => {
          if (fault === 'endless') return send().then(upToMost)
          return fault.startsWith('timeout_') ? Promise.race([send(), timeOut(asked)]) : send()
        }
        assert.match(await seen(impatient), expected[fault] ?? /^fine$/, `${name}, ${fault}`)
        const isRead =
          name === 'resolve' || (name === 'create_recipient' && fault === 'no_connection')
        if (!isRead)
          assert.equal(
            madeBy(name) - before,
            beforeFaults.includes(fault) ? 0 : 1,
            `${name}, ${fault}: made`,
          )
        if (fault !== 'no_connection') assert.equal(paystack.requests[asked]?.fault, fault)
        await paystack.clearFaults()
        if (name === 'resolve') assert.equal(await seen(send), 'fine', `${name} after ${fault}`)
      }
    })

  const tooLate = (): Error => Object.assign(new Error('too late'), { name: 'TimeoutError' })

  /**
   * A client that waits until its request has come, and another one, which came later, is answered.
   */
  const timeOut = async (asked: number): Promise<Response> => {
    await until(async () => paystack.requests.length > asked)
    assert.equal((await ask.get('/balance')).status, 200)
    throw tooLate()
  }

  /** An answer to a client that reads a mebibyte of it, and no more. */
  const upToMost = (response: Response): Response =>
    Object.assign(response, {
      async text() {
        let size = 0
        const decoder = new TextDecoder()
        let text = ''
        for await (const chunk of response.body as ReadableStream<Uint8Array>) {
          size += chunk.length
          if (size > 1024 * 1024) throw tooLate()
          text += decoder.decode(chunk, { stream: true })
        }
        return text
      },
    })

  it('falsifies one field of an answer and no other', async () => {
    const faults: [Fault, string, unknown][] = [
      ['other_amount', 'amount', 100_100],
      ['other_currency', 'currency', 'GHS'],
      ['other_mode', 'domain', 'test'],
    ]
    for (const [fault, field, value] of faults) {
      await paystack.fault('transfer', fault)
      const { reference, ...falsified } = dataOf(await ask.transfer(100_000))
      const usual = { amount: 100_000, currency: 'NGN', domain: 'live' }
      assert.partialDeepStrictEqual(falsified, { ...usual, [field]: value })
      assert.equal(paystack.live.books.transfer(reference).amount, 100_000)
    }
    await paystack.fault('transfer', 'other_reference')
    const { reference } = dataOf(await ask.transfer(100_000, { reference: `po-${'9'.repeat(24)}` }))
    assert.throws(() => paystack.live.books.transfer(reference), /has no transfer/)
  })

  it('is of one mode and operation, and is used up', async () => {
    const rule = await paystack.fault('balance', 'error_before', { times: 2 })
    const inTest = askerOf(paystack, 'test')
    assert.equal((await inTest.get('/balance')).status, 200)
    assert.equal((await ask.get('/settlement')).status, 200)
    const statuses = [
      await ask.get('/balance'),
      await ask.get('/balance'),
      await ask.get('/balance'),
    ].map(({ status }) => status)
    assert.deepEqual([statuses, rule.applied], [[500, 500, 200], 2])
  })

  it('can cut the connection just after the call before', async () => {
    await paystack.fault('transfer', 'no_connection', { after: 'create_recipient' })
    await assert.rejects(ask.transfer(), /fetch failed/)
    assert.equal(paystack.live.books.recipients.length, 1)
    await paystack.clearFaults()
    assert.equal((await ask.transfer()).status, 200)
  })

  it('has sense for most pairs', () => {
    const pairs = (names: readonly OperationName[]): number =>
      names.flatMap((name) =>
        [...answerFaults, ...webhookFaults].filter((fault) => applies(name, fault)),
      ).length
    assert.ok(
      pairs(orderOperations) >= 200,
      `${pairs(orderOperations)} of the operations that orders begin with`,
    )
    assert.ok(pairs(operations) >= 500, `${pairs(operations)} of all`)
  })
})

it('requests beyond the documented limits are answered 429, with the seconds until they are not', async (t) => {
  let now = new Date('2026-11-22T12:00:00Z')
  const limited = await startPaystack({ settings: { rateLimits: true }, now: () => now })
  t.after(() => limited.stop())
  const asker = askerOf(limited, 'test')
  for (let i = 0; i < 100; i++) assert.equal((await asker.get('/balance')).status, 200)
  now = new Date(now.getTime() + 20_000)
  const over = await asker.get('/balance')
  assert.deepEqual([over.status, over.headers.get('x-ratelimit-limit')], [429, '100'])
  now = new Date(now.getTime() + 40_001)
  assert.equal((await asker.get('/balance')).status, 200)
})

describe('webhooks', () => {
  type Got = {
    event: string
    data: { reference?: string; amount?: number; status?: string }
    by: string
    bytes: number
  }
  let got: Got[]
  let status: number
  let receiver: Server
  beforeEach(async () => {
    got = []
    status = 200
    receiver = createServer((message, response) => {
      const chunks: Buffer[] = []
      message.on('data', (chunk: Buffer) => chunks.push(chunk))
      message.on('end', () => {
        const body = Buffer.concat(chunks)
        const { live, test, previous } = paystack.keys
        const by = Object.entries({ live, test, previous: previous.live }).find(
          ([, key]) => key !== null && sign(body, key) === message.headers['x-paystack-signature'],
        )
        got.push({ ...JSON.parse(body.toString()), by: by?.[0] ?? 'nobody', bytes: body.length })
        response.writeHead(status).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    paystack.live.events.url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  })
  afterEach(() => void receiver.close())

  const events = (): string[] => got.map((one) => one.event)
  const sent = async (): Promise<string> => dataOf(await ask.transfer()).reference

  it('are delivered when a test says so, signed over the raw body, and again if refused', async () => {
    const reference = await sent()
    paystack.live.transfer.succeed(reference)
    assert.deepEqual(events(), [])
    status = 500
    await paystack.live.events.deliver()
    status = 200
    await paystack.live.events.retry()
    await paystack.live.events.retry()
    assert.deepEqual(
      got.map((one) => [one.event, one.data.reference, one.by]),
      Array(2).fill(['transfer.success', reference, 'live']),
    )
    assert.deepEqual(
      paystack.live.events.deliveries.map((one) => one.status),
      [500, 200],
    )
  })

  const faulty = async (fault: Fault): Promise<string> => {
    await paystack.fault('transfer', fault)
    const reference = await sent()
    if (fault !== 'webhook_before_answer') paystack.live.transfer.succeed(reference)
    await paystack.live.events.deliver()
    return reference
  }

  it('come before the answer', async () => {
    const reference = await faulty('webhook_before_answer')
    assert.deepEqual(
      got.map((one) => one.data.reference),
      [reference],
    )
    const { answer } =
      paystack.requests.find((one) => one.operation === 'transfer') ?? assert.fail('no transfer')
    assert.equal((answer?.body.data as { status: string } | undefined)?.status, 'pending')
  })

  it('come twice at the same moment', async () => {
    await faulty('webhook_twice_at_once')
    assert.deepEqual(events(), ['transfer.success', 'transfer.success'])
  })

  it('never come', async () => {
    await faulty('webhook_never')
    assert.deepEqual([events(), paystack.live.events.lost.length], [[], 1])
  })

  it('come out of order', async () => {
    paystack.live.transfer.reverse(await faulty('webhook_out_of_order'))
    assert.deepEqual(events(), [], 'the first waits for the second')
    await paystack.live.events.deliver()
    assert.deepEqual(events(), ['transfer.reversed', 'transfer.success'])
  })

  it('come 72 hours late', async () => {
    await faulty('webhook_late')
    assert.deepEqual(events(), [])
    await paystack.live.events.deliver({ late: true })
    assert.deepEqual(events(), ['transfer.success'])
  })

  it('are forged, changed, or signed by another key', async () => {
    paystack.rollKey('live')
    const cases: [Fault, string, number][] = [
      ['webhook_forged', 'nobody', 1_000_000],
      ['webhook_changed_amount', 'live', 1_000_000],
      ['webhook_test_key', 'test', 1_000_000],
      ['webhook_previous_secret', 'previous', 100_000],
    ]
    for (const [fault, by, amount] of cases) {
      await faulty(fault)
      assert.deepEqual([got.at(-1)?.by, got.at(-1)?.data.amount], [by, amount], fault)
    }
  })

  it('are larger than a mebibyte', async () => {
    await faulty('webhook_oversized')
    assert.ok((got[0]?.bytes ?? 0) > 1024 * 1024)
  })

  it('can be anything at all', async () => {
    await paystack.live.events.inject('transfer.success', { reference: 'po-of-another-system-1' })
    await paystack.live.events.inject('no.such.event', {}, 'a key of nobody')
    assert.deepEqual(
      got.map((one) => one.by),
      ['live', 'nobody'],
    )
  })

  it('come by themselves when the world goes by itself', async () => {
    paystack.live.settings.autopilot = true
    const { id } = await ask.paid()
    await ask.refund(String(id), 1_000)
    const { customer_code } = dataOf(await ask.customer())
    await ask.identify(customer_code)
    await ask.transfer()
    const all = [
      'charge.success',
      'refund.pending',
      'refund.processed',
      'customeridentification.success',
      'transfer.success',
    ]
    await until(async () => got.length >= all.length)
    assert.deepEqual(events().sort(), all.sort())
  })

  it('ask for approval of transfers, and reject what is refused', async () => {
    paystack.live.settings.approvalUrl = paystack.live.events.url
    const ends: string[] = []
    for (status of [200, 400]) {
      const reference = await sent()
      await until(async () => paystack.live.approvals.length > ends.length)
      ends.push(paystack.live.books.transfer(reference).status)
    }
    assert.deepEqual(
      [ends, got.map((one) => one.by)],
      [
        ['pending', 'rejected'],
        ['live', 'live'],
      ],
    )
  })
})

describe('the hosted page', () => {
  const press = (url: string, act: string) =>
    fetch(`${url}/${act}`, { method: 'POST', redirect: 'manual' })

  it('is on a host of its own: decline, then pay, and back to the merchant', async () => {
    const { authorization_url, reference } = dataOf(await ask.initialize(123_450))
    assert.equal(new URL(authorization_url).origin, paystack.checkoutUrl)
    assert.notEqual(paystack.checkoutUrl, paystack.url)
    assert.match(await (await fetch(authorization_url)).text(), /NGN 1234\.50/)
    const declined = await press(authorization_url, 'decline')
    assert.equal(declined.headers.get('location'), new URL(authorization_url).pathname)
    assert.match(await (await fetch(authorization_url)).text(), /role="alert">Declined/)
    const paid = await press(authorization_url, 'pay')
    assert.equal(
      paid.headers.get('location'),
      `https://shop.example/back?trxref=${reference}&reference=${reference}`,
    )
    assert.match(await (await fetch(authorization_url)).text(), /is paid/)
    await press(authorization_url, 'pay')
    assert.equal(paystack.live.books.transactions.length, 1)
  })

  it('is left by the address that the transaction names, and keeps what it is given from being markup', async () => {
    const metadata = { cancel_action: 'https://shop.example/cancel' }
    const { authorization_url } = dataOf(
      await ask.initialize(1_000, { metadata, email: '"<b>"@shop.example' }),
    )
    assert.equal(
      (await press(authorization_url, 'leave')).headers.get('location'),
      metadata.cancel_action,
    )
    assert.doesNotMatch(await (await fetch(authorization_url)).text(), /<b>/)
    assert.equal((await fetch(`${paystack.checkoutUrl}/nothing`)).status, 404)
    paystack.violations.length = 0
  })
})

it('it serves https where that is asked for', async (t) => {
  const safe = await startPaystack({ tls: true })
  t.after(() => safe.stop())
  const balance = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${safe.keys.live}` }
      request(`${safe.url}/balance`, { ca: safe.ca as string, headers }, (response) =>
        resolve(response.resume().statusCode),
      )
        .on('error', reject)
        .end()
    })
  assert.equal(await balance(), 200)
  assert.match(safe.checkoutUrl, /^https:/)
  await safe.disconnect()
  await assert.rejects(balance(), /ECONNREFUSED|^AggregateError/)
  await safe.connect()
  assert.equal(await balance(), 200)
})
