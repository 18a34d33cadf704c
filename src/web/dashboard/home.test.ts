/**
 * Goal: the home page says what came and went as the transactions do, and names what needs
 * somebody, of this business and mode alone. Method: money moves by the API; the page is read over
 * HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import {
  bankPayout,
  ctxOf,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { createBusiness } from '../../books/businesses/businesses.ts'
import { movedByDay } from '../../books/transactions/transactions.ts'
import { documentEvents } from '../../collecting/customers/events.ts'
import { foldCounts } from '../../db/lists/counts.ts'
import { newId } from '../../lib/ids.ts'
import { emit } from '../../platform/events/events.ts'
import { openOwnIncident } from '../../platform/incidents/incidents.ts'
import { holdOutgoing, releaseOutgoing } from '../../rails/records/outgoing.ts'

const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the home page', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_RETRY_DELAYS: '1s',
    })
    // Rows are made, or changed, behind the ledger's back here.
    server.leaveBooksUnverified()
    owner = await signedIn(server)
  })
  after(() => server.stop())
  const home = async (who = owner): Promise<string> => textOf(await shown(who.get('')))

  it('says what to do while nothing has happened', async () => {
    const text = await home()
    assert.match(text, /Nothing has come or gone in the last 30 days/)
    assert.match(text, /Nothing needs your attention/)
  })

  it('sums what came and went by day, folded or not, as transactions end', async () => {
    const { simulate, openPayment } = newMerchant(server)
    await server.fund('ngn', 10_000_000)
    await simulate(await openPayment({ amount: 100_000 }), 'completed', 'bank_transfer')
    for (const [i, account_number] of ['0123456789', '0000000001'].entries())
      await must(
        server.call(
          'POST',
          '/payouts',
          bankPayout(`moved-${i}`, 200_000, { destination: { bank_code: '058', account_number } }),
        ),
      )
    await until(
      async () => (await server.call('GET', '/payouts?status=failed')).data.totalDocs === 1,
    )
    await until(
      async () => (await server.call('GET', '/payouts?status=completed')).data.totalDocs === 1,
    )
    const { docs } = await must(server.call('GET', '/transactions?status=completed'))
    const sum = (direction: string): number =>
      docs
        .filter((one: { direction: string }) => one.direction === direction)
        .reduce(
          (all: number, one: { net: number; amount: number }) =>
            all + (direction === 'credit' ? one.net : one.amount),
          0,
        )
    const moved = async () => {
      const [wallet, ...others] = await movedByDay(await ctxOf(server), 30)
      assert.equal(others.length, 0)
      assert.equal(wallet?.days.length, 30)
      return [wallet?.currency, wallet?.days.at(-1)?.came, wallet?.days.at(-1)?.went]
    }
    const expected = ['ngn', BigInt(sum('credit')), 200_000n]
    assert.deepEqual(await moved(), expected)
    await foldCounts(server.app.db)
    assert.deepEqual(await moved(), expected)
    const text = await home()
    assert.match(text, /NGN: money in and out/)
    assert.match(text, /Day Came in Went out Difference [^₦]+₦10[\d,.]+ ₦2,000\.00/)
    assert.deepEqual(
      await movedByDay(
        await ctxOf(server, (await createBusiness(server.app, 'Other')).business.id),
        30,
      ),
      [],
    )
  })

  it('counts by the days of the time zone of the business', async () => {
    const { business, test_key } = await createBusiness(server.app, 'Chatham')
    const ctx = await ctxOf(server, business.id)
    const today = ctx.scope.now.toISOString().slice(0, 10)
    const insert = (id: number, at: string): Promise<unknown> =>
      server.app.db.query(
        `insert into transactions (business_id, livemode, id, type, method, direction, status, currency, amount, fee, balance_after, created_at, updated_at)
         values ($1, false, lpad($2::bigint::text, 24, '0'), 'deposit', 'bank_transfer', 'credit', 'completed', 'usd', $2::bigint, 0, 0, $3, $3)`,
        [business.id, id, at],
      )
    const ago = (days: number, time: string): string =>
      `${new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10)}T${time}Z`
    await insert(7, ago(4, '22:59:59.999'))
    await insert(20, ago(4, '23:00:00.000'))
    await insert(100, ago(3, '10:00:00.000'))
    const daysOf = async (time_zone: string) => {
      await must(server.callAs(test_key)('PUT', '/business', { time_zone }))
      const [wallet] = await movedByDay(await ctxOf(server, business.id), 10)
      return wallet?.days.filter(({ came }) => came > 0n).map(({ day, came }) => [day, came])
    }
    const [first, second] = [ago(4, '').slice(0, 10), ago(3, '').slice(0, 10)]
    assert.deepEqual(await daysOf('UTC'), [
      [first, 27n],
      [second, 100n],
    ])
    assert.deepEqual(await daysOf('Africa/Lagos'), [
      [first, 7n],
      [second, 120n],
    ])
  })

  it('names what needs somebody: what failed, what was paid otherwise, who does not answer', async () => {
    const { simulate, openPayment, ask, advance } = newMerchant(server)
    const customer = await ask('POST', '/customers', { name: 'Ada Obi', email: 'ada@example.com' })
    const ctx = await ctxOf(server)
    await ask('POST', '/webhooks', {
      url: 'https://localhost:8443/dead',
      events: ['customer.document.failed'],
    })
    await simulate(
      await openPayment({ amount: 100_000, email: 'p@example.com' }),
      'underpaid',
      'bank_transfer',
    )
    await ctx.write((work) =>
      openOwnIncident(work, {
        rail: 'main',
        kind: 'amount_differs',
        subject: newId(work.scope.now),
        detail: {},
      }),
    )
    await ctx.write((work) => {
      const [{ sample }] = [documentEvents['customer.document.failed']]
      return emit(work, documentEvents, 'customer.document.failed', {
        ...sample(work.scope),
        customer: customer.id,
      })
    })
    const tried = async (): Promise<number> =>
      (await ask('GET', '/webhooks/events')).docs.filter(
        ({ attempts }: { attempts: unknown[] }) => attempts.length > 0,
      ).length
    await until(async () => (await tried()) > 0, 30_000)
    await advance('1h')
    await until(
      async () => (await ask('GET', '/webhooks/events?status=failed')).totalDocs > 0,
      30_000,
    )
    const text = await home()
    for (const said of [
      /Payouts that failed, were returned or were not approved in time \(1\) Failed ₦2,000\.00 to .*0000000001.*Invalid account\. The bank does not know this account/,
      /Payments paid too little, too much or too late \(1\) Underpaid ₦[\d.,]+ paid of ₦1,000\.00/,
      /Webhook endpoints with failed deliveries \(1\) https:\/\/localhost:8443\/dead : 1 event was not delivered/,
      /Identity documents that could not be verified \(1\) BVN: Ada Obi/,
      /Differences with a provider \(1\) Amount differs, at main\./,
    ])
      assert.match(text, said)

    const live = await signedIn(server, 'owner', 'live')
    assert.match(await home(live), /Nothing needs your attention/)
    await holdOutgoing(server.app.db, {
      id: newId(new Date()),
      reason: 'operator',
      dataOf: null,
      at: new Date(),
    })
    assert.match(await home(live), /Payouts wait: nothing is sent out of this server just now/)
    assert.doesNotMatch(await home(), /Payouts wait/)
    await releaseOutgoing(server.app.db, new Date(), 'test')
  })

  it('names an endpoint that missed one event, though another missed a hundred since', async () => {
    const { ask } = newMerchant(server)
    const [few, many] = [
      await ask('POST', '/webhooks', {
        url: 'https://localhost:8443/few',
        events: ['invoice.sent'],
      }),
      await ask('POST', '/webhooks', {
        url: 'https://localhost:8443/many',
        events: ['invoice.sent'],
      }),
    ]
    const missed = async (
      webhook: { id: string; url: string },
      count: number,
      secondsAgo: number,
    ) => {
      const at = new Date(Date.now() - secondsAgo * 1_000)
      await server.app.db.query(
        `insert into webhook_deliveries (business_id, livemode, id, event_id, webhook_id, type, url, status, tries, created_at, updated_at)
         select $1, false, id, id, $2, 'invoice.sent', $3, 'failed', 8, $5, $5 from unnest($4::text[]) as made (id)`,
        [
          server.businessId,
          webhook.id,
          webhook.url,
          Array.from({ length: count }, () => newId(at)),
          at,
        ],
      )
    }
    await missed(few, 1, 600)
    await missed(many, 101, 60)
    const text = await home()
    assert.match(text, /localhost:8443\/few : 1 event was not delivered/)
    assert.match(text, /localhost:8443\/many : 100 events or more were not delivered/)
    await missed(few, 1, 8 * 86_400)
    assert.match(await home(), /localhost:8443\/few : 1 event was not delivered/)
  })

  it('is a page of less than 100 kB to every role', async () => {
    for (const role of ['admin', 'finance', 'support', 'developer', 'viewer'] as const) {
      const html = await shown((await signedIn(server, role)).get(''))
      assert.ok(html.length < 100_000)
    }
  })
})
