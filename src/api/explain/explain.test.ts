/**
 * Goal: whoever asks what became of a record is told all of it, in order, and nothing of anybody
 * else. Method: money moves in each way that there is, over HTTP, with an endpoint that answers;
 * then the timelines are held against the ledger's tables, and the plans of the statements against
 * scans.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  cards,
  type Json,
  type Merchant,
  newBusiness,
  newMerchant,
  noId,
} from '../../../test/support/actors.ts'
import { fillEveryModule } from '../../../test/support/every-module.ts'
import {
  bankPayout,
  ctxOf,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import { signIn } from '../../../test/support/people.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { recordIdsOf } from '../../../test/support/record-ids.ts'
import { createBusiness, createKey } from '../../books/businesses/businesses.ts'
import { declaredStatements, newClient } from '../../db/db.ts'
import { closeIncident, openOwnIncident } from '../../platform/incidents/incidents.ts'
import { invite } from '../../platform/team/team.ts'

let server: TestServer
let receiver: Receiver
let merchant: Merchant

before(async () => {
  receiver = await startReceiver()
  server = await startServer({
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    WEBHOOK_CA_FILE: receiver.caFile,
    WEBHOOK_RETRY_DELAYS: '30s,5m,30m',
  })
  merchant = newMerchant(server)
  await server.fund('ngn', 100_000_000)
  await merchant.create('/webhooks', { url: `${receiver.url}/hook` })
})
after(async () => {
  await server.stop()
  await receiver.stop()
})

const explain = async (id: string): Promise<Json> => must(server.call('GET', `/explain/${id}`))
const titlesOf = (timeline: Json, kind: string): string[] =>
  timeline.entries.filter((entry: Json) => entry.kind === kind).map(({ title }: Json) => title)
const typesOf = (timeline: Json): string[] => detailsOf(timeline, 'event').map(({ type }) => type)
const detailsOf = (timeline: Json, kind: string): Json[] =>
  timeline.entries.filter((entry: Json) => entry.kind === kind).map(({ detail }: Json) => detail)
/** Once every event was delivered and the requests are written down. */
const told = (id: string, deliveries: number): Promise<Json> =>
  until(async () => {
    const timeline = await explain(id)
    const requests = timeline.entries.some(({ kind }: Json) => kind === 'request')
    return titlesOf(timeline, 'delivery').length === deliveries && requests ? timeline : null
  })
const payOut = async (reference: string, more: object = {}): Promise<Json> => {
  await merchant.payOut(bankPayout(reference, 100_000, { ...more }))
  return merchant.payoutEnded(reference)
}
/** What the ledger has of a record, whichever timeline it is in. */
const postingsOf = async (transactions: string[]): Promise<[string, number][]> =>
  (
    await server.app.db.query<{ kind: string; amount: bigint }>(
      'select kind, amount from ledger_postings where transaction_id = any($1) order by id',
      [transactions],
    )
  ).map(({ kind, amount }) => [kind, Number(amount)])
const shownPostings = (timeline: Json): [string, number][] =>
  detailsOf(timeline, 'posting').map(({ kind, amount }) => [kind, amount])

describe('the timeline of a payout', () => {
  it('says what a person has to look at, and nothing of what was found', async () => {
    const { id } = await payOut('told-looked-at')
    const ctx = await ctxOf(server)
    const found = {
      rail: 'paystack',
      kind: 'quarantined',
      subject: id,
      detail: { found: 'another amount' },
    } as const
    const incident = await ctx.write((work) => openOwnIncident(work, found))
    for (const about of [id, incident]) {
      const said = JSON.stringify(await explain(about))
      assert.match(said, /A person of the operator’s has to look at it: quarantined/)
      assert.doesNotMatch(said, /another amount|paystack/)
    }
    const { kind, status, related } = await explain(incident)
    assert.deepEqual([kind, status, related.subject], ['incident', 'open', [id]])
    await closeIncident(server.app, incident, 'Chidi', null)
    assert.equal((await explain(incident)).status, 'closed')
    assert.match(JSON.stringify(await explain(id)), /A person of the operator’s has looked at it/)
  })

  it('goes from the request to the answers of endpoints, in order', async () => {
    const made = await must(
      server.call('POST', '/payouts', bankPayout('told-1', 100_000), {
        'idempotency-key': 'told-1-once',
      }),
    )
    const payout = await merchant.payoutEnded('told-1')
    const timeline = await told(made.id, 2)
    assert.deepEqual(
      [timeline.id, timeline.kind, timeline.status, timeline.truncated],
      [payout.id, 'payout', 'completed', false],
    )
    assert.deepEqual(titlesOf(timeline, 'state'), [
      'The payout was made, and its amount held',
      'Recorded as pending: a payout',
      'The payout was sent to the bank',
      'Recorded as completed: a payout',
      'The payout arrived',
    ])
    const postings = await postingsOf([payout.transaction])
    assert.deepEqual(shownPostings(timeline), postings)
    assert.deepEqual(
      postings.map(([kind]) => kind),
      ['payout_hold', 'payout_sent', 'payout_fee', 'payout_fee'],
    )
    const [hold] = detailsOf(timeline, 'posting')
    assert.deepEqual(
      [hold.debit.name, hold.credit.name],
      ['ngn wallet, available', 'ngn wallet, pending'],
    )
    assert.deepEqual(typesOf(timeline), ['payout.initiated', 'payout.completed'])
    assert.deepEqual(
      detailsOf(timeline, 'delivery').map(({ attempt, response_status, response_body }) => [
        attempt,
        response_status,
        response_body,
      ]),
      [
        [1, 200, 'ok'],
        [1, 200, 'ok'],
      ],
    )
    const [request] = detailsOf(timeline, 'request')
    assert.deepEqual(
      [request.path, request.status, request.idempotency_key],
      ['/payouts', 201, 'told-1-once'],
    )
    assert.equal(detailsOf(timeline, 'provider')[0].provider_reference, payout.provider_reference)
    assert.deepEqual(detailsOf(timeline, 'waiting'), [])
    assert.deepEqual(timeline.related.transaction, [payout.transaction])
    const times = timeline.entries.map(({ at }: Json) => Date.parse(at))
    assert.deepEqual(
      times,
      times.toSorted((a: number, b: number) => a - b),
    )
    // A key is named by its hint, `sk_test_…x7Qd`, to who may manage.
    assert.equal(detailsOf(timeline, 'change')[0].actor.type, 'key')
    assert.doesNotMatch(JSON.stringify(timeline), /sk_test_\w|weh_|whsec_/)
  })

  it('is the same by its transaction, its events, its deliveries and the request that made it', async () => {
    const { id } = await payOut('told-2')
    const timeline = await told(id, 2)
    const ids = new Set<string>(
      timeline.entries.flatMap(({ ids: { event, webhook_delivery, request, transaction } }: Json) =>
        [event, webhook_delivery, request, transaction].filter(Boolean),
      ),
    )
    assert.equal(ids.size, 6)
    for (const other of ids) {
      const { entries, kind } = await explain(other)
      assert.deepEqual(entries, timeline.entries, kind)
    }
  })

  it('says why it failed, that it was canceled, and that it came back', async () => {
    const failed = await payOut('told-failed', {
      destination: { bank_code: '058', account_number: '0000000001' },
    })
    const timeline = await explain(failed.id)
    assert.equal(timeline.status, 'failed')
    const end = timeline.entries.find(
      ({ title }: Json) => title === 'The payout failed, and its amount was given back',
    )
    assert.deepEqual(end.detail, { failure_reason: 'invalid_account' })
    assert.deepEqual(shownPostings(timeline), await postingsOf([failed.transaction]))
    assert.deepEqual(typesOf(timeline), ['payout.initiated', 'payout.failed'])

    const payout = await payOut('told-returned')
    await merchant.advance('1h')
    const back = await must(
      server.call('POST', '/payouts/told-returned/simulate', { outcome: 'returned' }),
    )
    const both = await explain(payout.id)
    assert.equal(both.status, 'returned')
    assert.deepEqual(typesOf(both), ['payout.initiated', 'payout.completed', 'payout.returned'])
    assert.deepEqual(
      shownPostings(both),
      await postingsOf([payout.transaction, back.return_transaction]),
    )
    const at = (title: string) =>
      Date.parse(both.entries.find((entry: Json) => entry.title === title).at)
    assert.ok(at('The bank sent the money back') - at('The payout arrived') >= 3_600_000)
    assert.deepEqual(
      titlesOf(await explain(back.return_transaction), 'state'),
      titlesOf(both, 'state'),
    )
  })

  it('says what it waits for', async () => {
    const { id } = await merchant.payOut(
      bankPayout('told-waiting', 100_000, {
        destination: { bank_code: '058', account_number: '0000000002' },
      }),
    )
    const timeline = await until(async () => {
      const now = await explain(id)
      // While it is being sent, that is what it waits for.
      return titlesOf(now, 'waiting').includes('The provider is to be asked how the payout stands')
        ? now
        : null
    })
    assert.equal(timeline.status, 'processing')
    const waiting = timeline.entries.at(-1)
    assert.deepEqual(
      [waiting.kind, waiting.title],
      ['waiting', 'The provider is to be asked how the payout stands'],
    )
    assert.ok(Date.parse(waiting.at) >= (await merchant.now()) - 1_000)
    await must(server.call('POST', '/payouts/told-waiting/simulate', { outcome: 'completed' }))
  })

  it('says that a delivery failed, and when it is tried again', async () => {
    receiver.answer = 500
    const { id } = await payOut('told-refused').finally(() => settled(server.app))
    const timeline = await until(async () => {
      const now = await explain(id)
      const tries = detailsOf(now, 'delivery')
      return tries.length === 2 && titlesOf(now, 'waiting').length === 2 ? now : null
    })
    receiver.answer = 200
    assert.deepEqual(titlesOf(timeline, 'delivery'), [
      'The endpoint answered 500 to payout.initiated',
      'The endpoint answered 500 to payout.completed',
    ])
    assert.deepEqual(titlesOf(timeline, 'waiting').sort(), [
      'The event payout.completed is to be delivered',
      'The event payout.initiated is to be delivered',
    ])
  })
})

describe('the timeline of what comes in', () => {
  it('has the attempts by card, the money, and its refund', async () => {
    const payment = await merchant.openPayment()
    const payer = merchant.payerOf(payment)
    await payer.payByCard(cards.declined)
    await payer.payByCard()
    const paid = await merchant.paymentEnded(payment)
    const refund = await must(merchant.refund(payment, { amount: 250_000 }))
    await merchant.refundEnded(refund)
    const timeline = await explain(payment.id)
    assert.deepEqual([timeline.kind, timeline.status], ['payment', 'completed'])
    assert.deepEqual(
      titlesOf(timeline, 'state').filter((title) => !title.startsWith('Recorded')),
      [
        'The payment was opened',
        'The payer tried a card',
        'The card was not charged',
        'The payer tried a card',
        'The card was charged',
        'The payment was paid',
        'A refund was made',
        'The refund was sent to the card’s provider',
        'The refund arrived',
      ],
    )
    assert.deepEqual(typesOf(timeline), [
      'payment.completed',
      'refund.initiated',
      'refund.completed',
    ])
    const { transaction } = await must(server.call('GET', `/refunds/${refund.id}`))
    assert.deepEqual(shownPostings(timeline), await postingsOf([paid.transaction, transaction]))
    const ofRefund = await explain(refund.id)
    assert.deepEqual([ofRefund.kind, ofRefund.related.payment], ['refund', [payment.id]])
    assert.deepEqual(shownPostings(ofRefund), await postingsOf([transaction]))
  })

  it('has a transfer with its account and its event, and what waits for the payer', async () => {
    const payment = await merchant.openPayment()
    await merchant.payerOf(payment).open('?method=bank_transfer')
    const waiting = await explain(payment.id)
    assert.ok(titlesOf(waiting, 'waiting').includes('The payment expires, unless it is paid'))
    await merchant.payerOf(payment).transfer()
    const paid = await merchant.paymentEnded(payment)
    const timeline = await explain(payment.id)
    assert.deepEqual(typesOf(timeline).sort(), ['payment.completed', 'virtual_account.deposit'])
    assert.ok(titlesOf(timeline, 'state').includes('The virtual account was opened'))
    assert.deepEqual(shownPostings(timeline), await postingsOf([paid.transaction]))
  })

  it('has the deposits of a virtual account, and of one of them only what is its own', async () => {
    const customer = await merchant.addCustomer()
    const account = await merchant.openAccount({
      customer: customer.id,
      currency: 'ngn',
      kind: 'static',
    })
    const first = await merchant.deposit(account, { amount: 40_000 })
    const second = await merchant.deposit(account, { amount: 60_000 })
    const timeline = await explain(account.id)
    assert.deepEqual(typesOf(timeline), ['virtual_account.deposit', 'virtual_account.deposit'])
    assert.deepEqual(shownPostings(timeline), await postingsOf([first.id, second.id]))
    const one = await explain(second.id)
    assert.deepEqual([one.kind, one.related.virtual_account], ['transaction', [account.id]])
    assert.deepEqual(typesOf(one), ['virtual_account.deposit'])
    assert.deepEqual(shownPostings(one), await postingsOf([second.id]))
    assert.equal((await explain(customer.id)).kind, 'customer')
  })

  it('has deposits of stablecoins', async () => {
    const wallet = await merchant.openCryptoWallet()
    const deposit = await must(
      server.call('POST', `/crypto/wallets/${wallet.id}/simulate-deposit`, {
        amount: 1_234,
        currency: 'usdc',
      }),
    )
    const timeline = await explain(wallet.id)
    assert.deepEqual(typesOf(timeline), ['crypto.deposit'])
    assert.deepEqual(shownPostings(timeline), await postingsOf([deposit.id]))
  })

  it('has the use of a collection, and the payment of an invoice', async () => {
    const invoice = await merchant.openInvoice()
    await merchant.simulate(await merchant.paymentOf(invoice), 'completed', 'card')
    const timeline = await explain(invoice.id)
    assert.deepEqual([timeline.kind, timeline.status], ['invoice', 'paid'])
    assert.deepEqual(typesOf(timeline), ['invoice.finalized', 'payment.completed', 'invoice.paid'])
  })

  it('knows when a payment ended that was paid too late', async () => {
    const payment = await merchant.openPayment({
      expires_at: new Date((await merchant.now()) + 600_000).toISOString(),
    })
    const payer = merchant.payerOf(payment)
    await payer.transfer(100)
    await merchant.advance('20m')
    await until(async () => (await merchant.readPayment(payment)).status === 'expired')
    await payer.transfer(200)
    const timeline = await explain(payment.id)
    assert.ok(typesOf(timeline).includes('payment.expired'))
  })
})

describe('timelines', () => {
  it('have every posting of every transaction of the business', async () => {
    await settled(server.app)
    const transactions = await server.app.db.query<{ id: string; postings: bigint }>(
      `select transaction_id as id, count(*) as postings from ledger_postings where business_id = $1 group by 1`,
      [server.businessId],
    )
    assert.ok(transactions.length > 10)
    for (const { id, postings } of transactions) {
      const timeline = await explain(id)
      const own = timeline.entries.filter(
        ({ kind, ids }: Json) => kind === 'posting' && ids.transaction === id,
      )
      assert.equal(own.length, Number(postings), id)
    }
  })

  it('are told of the own records of a business and mode only', async () => {
    const { id, transaction } = await payOut('told-own')
    const stranger = await newBusiness(server)
    for (const call of [stranger, server.callAs(server.liveKey)])
      for (const one of [id, transaction]) {
        const answer = await call('GET', `/explain/${one}`)
        assert.deepEqual([answer.status, answer.code], [404, 'not_found'])
      }
    for (const unknown of [noId, 'nothing', '%00', 'x'.repeat(200)]) {
      const answer = await server.call('GET', `/explain/${unknown}`)
      assert.deepEqual([answer.status, answer.code], [404, 'not_found'], unknown)
    }
  })

  it('show who acted only to keys that may see it', async () => {
    const { id } = await payOut('told-who')
    await told(id, 2)
    const { key } = await (await ctxOf(server)).write((work) =>
      createKey(work, { name: 'reads', scopes: ['read'] }),
    )
    const timeline = await must(server.callAs(key)('GET', `/explain/${id}`))
    assert.deepEqual([detailsOf(timeline, 'request'), detailsOf(timeline, 'change')], [[], []])
    assert.ok(shownPostings(timeline).length > 0)
    const endpoint = (await must(server.call('GET', '/webhooks'))).docs[0]
    assert.deepEqual(titlesOf(await explain(endpoint.id), 'change'), ['Webhook created'])
    assert.deepEqual(
      titlesOf(await must(server.callAs(key)('GET', `/explain/${endpoint.id}`)), 'change'),
      [],
    )
  })

  it('are found by indexes, whatever there is', async () => {
    const client = newClient(server.databaseUrl)
    await client.connect()
    try {
      await client.query('set enable_seqscan = off')
      for (const name of [
        'ledger.select_postings',
        'receipts.select_of_transactions',
        'webhooks.select_events_about',
        'webhooks.select_events_only',
        'webhooks.select_deliveries_of',
        'webhooks.select_attempts',
        'audit.select_of',
        'requests.select_of',
        'timers.select_waiting',
        'transactions.select_ids_of_payment',
        'transactions.select_ids_of_account',
        'payments.select_attempt_ids',
        'refunds.select_ids_of_payment',
        'virtual_accounts.select_ids_of_payment',
        'deposits.select_ids_of_subject',
        'customers.select_documents',
        'customers.select_with_deleted',
        'webhooks.select_with_deleted',
        'wallets.select_one',
        'businesses.select_key',
        'conversions.select_of_quote',
        'team.select_member',
        'team.select_invitation_of',
      ]) {
        const { text } = declaredStatements.get(name) as { text: string }
        const { rows } = await client.query(`explain (generic_plan) ${text}`)
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
        // The queue of jobs is looked through up to a bound; the tasks are a few rows.
        const scans = [...plan.matchAll(/Seq Scan on (\w+)/g)].map(([, table]) => table)
        assert.deepEqual(
          scans.filter((table) => !table?.startsWith('_private_')),
          [],
          `${name}\n${plan}`,
        )
        for (const [, condition] of plan.matchAll(/Index Cond: (.*)/g))
          if (/business_id/.test(condition as string))
            assert.match(condition as string, /subject|_id|id|type|related/, name)
      }
    } finally {
      await client.end()
    }
  })
})

/** What has an id in the API and no timeline, and why. */
const withoutTimeline: Record<string, string> = {
  AuditActor:
    'who acts: a key or a person, who have one each; keys of the operator are of no business',
  CryptoDeposit:
    'the sandbox makes none: test/integration/collecting/stablecoins.test.ts asks for one',
  CryptoNetwork: 'a name, such as base',
  ErasedCustomer: 'a customer, in the stream of events alone',
  EventHead: 'an event, in the stream of events alone',
  PendingLimits: 'a change of live mode that waits: the audit log has what becomes of it',
  PayoutMaker: 'who made a payout: a key or a person, who have one each',
  ProofKey: 'of the installation, and of no business',
  Timeline: 'the id that was asked for',
}

describe('every record with an id', () => {
  it('has a timeline, which is its business’s and mode’s alone', async () => {
    const { test_key, live_key } = await createBusiness(server.app, 'Does a bit of everything')
    const ids = recordIdsOf(await (await fetch(`${server.url}/openapi.json`)).json())
    const call = ids.looking(server.callAs(test_key))
    await fillEveryModule(server, call)
    const [plan] = (await must(call('GET', '/distributions'))).docs
    await must(call('POST', `/distributions/${plan.id}/preview`, { amount: 1_000 }))
    const customer = await must(
      call('POST', '/customers', { name: 'Bola', email: 'bola@example.com' }),
    )
    await must(call('POST', `/customers/${customer.id}/erase`))
    await must(call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above: 1_000 }] }))
    const [hook] = (await must(call('GET', '/webhooks'))).docs
    await must(call('PUT', `/webhooks/${hook.id}`, { events: ['payout.completed'] }))
    for (const list of ids.lists) await call('GET', list)
    const [schedule] = (await must(call('GET', '/payout-schedules'))).docs
    await call('GET', `/payout-schedules/${schedule.id}/runs`)

    const kinds = ids.kinds()
    assert.ok(kinds.length > 30, `${kinds.length} kinds`)
    for (const kind of Object.keys(withoutTimeline))
      assert.ok(kinds.includes(kind), `${kind} is no kind any more`)
    const told = kinds.filter((kind) => !(kind in withoutTimeline))
    assert.deepEqual(
      told.filter((kind) => !ids.found.has(kind)),
      [],
      'kinds that the answers above have none of: make one, or say in `withoutTimeline` why not',
    )
    const manages = server.callAs(test_key)
    const strangers = [await newBusiness(server), server.callAs(live_key)]
    for (const kind of told) {
      const [id] = ids.found.get(kind) as Set<string>
      const { status, data } = await manages('GET', `/explain/${id}`)
      assert.equal(status, 200, `${kind} ${id}`)
      assert.equal(data.id, id)
      // A business is the same in both modes.
      for (const stranger of data.kind === 'business' ? strangers.slice(0, 1) : strangers)
        assert.equal((await stranger('GET', `/explain/${id}`)).status, 404, `${kind} ${id}`)
    }
  })

  it('is told of who acts and what they changed to who may see that', async () => {
    const ctx = await ctxOf(server)
    const { personId } = await signIn(server)
    const { key, record } = await ctx.write((work) =>
      createKey(work, { name: 'reads', scopes: ['read'] }),
    )
    const invited = await ctx.write((work) =>
      invite(work, { email: 'bola@example.com', role: 'viewer' }, 'shown'),
    )
    const [entry] = (await must(server.call('GET', '/audit?action=invitation.created'))).docs
    const stranger = await newBusiness(server)
    for (const [kind, id, said] of [
      ['api_key', record.id, 'The key was made'],
      ['person', personId, 'The person joined the team'],
      ['invitation', invited.id, 'A person was invited to the team'],
      ['audit_entry', entry.id, 'A person was invited to the team'],
    ] as const) {
      const timeline = await explain(id)
      assert.equal(timeline.kind, kind)
      assert.ok(
        titlesOf(timeline, 'state').includes(said),
        `${kind}: ${titlesOf(timeline, 'state')}`,
      )
      for (const call of [server.callAs(key), stranger])
        assert.equal((await call('GET', `/explain/${id}`)).status, 404, kind)
    }
    // Of both modes is a team, and a key of one.
    const live = server.callAs(server.liveKey)
    assert.deepEqual(
      await Promise.all(
        [personId, record.id].map(async (id) => (await live('GET', `/explain/${id}`)).status),
      ),
      [200, 404],
    )
  })
})
