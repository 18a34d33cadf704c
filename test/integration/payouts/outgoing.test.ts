/**
 * Goal: after a restore nothing is sent that a rail may have been paid for since the backup, until
 * a person lets it go, and what a rail has is never sent again. Method: rows that stand as in a
 * backup, over a rail that knows more of them than they do.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  cancel,
  hold,
  markRestored,
  release,
  settle,
  standings,
} from '../../../src/app/outgoing.ts'
import { lostTransactions } from '../../../src/rails/evm/lost.ts'
import type { OrderState, PayoutOrder, PayoutRail } from '../../../src/rails/ports/rail.ts'
import { outgoingOf, releaseOutgoing } from '../../../src/rails/records/outgoing.ts'
import { keyWith } from '../../support/approvers.ts'
import { runCommand } from '../../support/command-line.ts'
import {
  bankPayout,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { operatorOf } from '../../support/operators.ts'
import { railsEnv, testProvider } from '../../support/provider.ts'
import { finish, startTreasury } from '../../support/treasury.ts'

const paid = (id: string): OrderState => ({
  state: 'completed',
  providerReference: `ref-${id}`,
  txHash: null,
})
const unknown: OrderState = { state: 'unknown', askAgainInMs: 100 }

describe('outgoing money after a restore', () => {
  let server: TestServer
  let rail: PayoutRail
  let obstacle: 'balance_too_low' | null = 'balance_too_low'
  /** What the rail says of an order, by its id and submission; it has no other. */
  let has: Record<string, OrderState> = {}
  let sent: PayoutOrder[] = []
  let references = 0

  before(async () => {
    const accounts = { one: { provider: 'testpay', secret_key: 'env:TEST_KEY' } }
    const routes = { 'payout.ngn': ['one'] }
    server = await startServer(railsEnv({ test: { accounts, routes } }), [testProvider().provider])
    rail = server.app.rails.test.accounts.one?.ports.payout as PayoutRail
    rail.obstacle = async () => obstacle && { obstacle, sentence: 'the test says so' }
    rail.ask = async ({ id, attempt }) =>
      has[`${id} ${attempt}`] ?? has[id] ?? { state: 'not_found' }
    rail.send = async (order) => {
      sent.push(order)
      has[`${order.id} ${order.attempt}`] = paid(order.id)
      return paid(order.id)
    }
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  /**
   * A payout that waits for its rail at the moment of the backup; then the data are restored, and
   * the rail could take it.
   */
  const restoredWith = async (
    known: (id: string) => Record<string, OrderState>,
  ): Promise<{ id: string; reference: string }> => {
    obstacle = 'balance_too_low'
    has = {}
    sent = []
    const payout = await must(
      server.call('POST', '/payouts', bankPayout(`held-${++references}`, 1_000_000)),
    )
    await until(async () => (await timersOf(payout.id)).length === 1)
    const made = server.app.clock.now()
    await until(async () => server.app.clock.now() > made)
    await markRestored(server.app.db, server.app.clock, null)
    has = known(payout.id)
    obstacle = null
    return payout
  }
  const timersOf = (id: string) =>
    server.app.db.query('select from timers where subject = $1 and due_at is not null', [id])
  const wake = () =>
    server.app.db.query(
      `update timers set due_at = now() - interval '1 second' where task like 'payouts.%' or task like 'refunds.%'`,
    )
  const statusOf = async (reference: string): Promise<string> =>
    (await must(server.call('GET', `/payouts/${reference}`))).status
  const ends = (reference: string, status: string) =>
    until(async () => {
      await wake()
      return (await statusOf(reference)) === status
    })
  const stays = async (reference: string, status: string): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      await wake()
      await server.idle()
    }
    assert.equal(await statusOf(reference), status)
  }

  it('is held: a payout that no rail has waits, cannot be canceled, and goes once it is let go', async () => {
    const { id, reference } = await restoredWith(() => ({}))
    await stays(reference, 'pending')
    const canceled = await server.call('POST', `/payouts/${reference}/cancel`)
    assert.deepEqual([canceled.status, canceled.code, sent], [400, 'payout_not_cancelable', []])
    const now = await outgoingOf(server.app.db)
    assert.deepEqual(
      (await standings(server.app, now)).map((one) => [one.id, one.rails_say]),
      [[id, 'not_found']],
    )
    assert.equal(await release(server.app, 'Ada'), 1)
    // Nobody wakes it: the release does.
    await until(async () => (await statusOf(reference)) === 'completed')
    assert.deepEqual(
      sent.map((order) => order.attempt),
      [1],
    )
    assert.equal(await release(server.app, 'Ada'), null)
  })

  it('is not sent while what the server before had just sent may still arrive', async (t) => {
    t.after(() => Object.assign(rail, { orderLifeMs: 0 }))
    rail.orderLifeMs = 600_000
    const { reference } = await restoredWith(() => ({}))
    await release(server.app, 'Ada')
    await stays(reference, 'pending')
    assert.equal(sent.length, 0)
    await server.app.db.query(
      `update outgoing_holds set placed_at = placed_at - interval '10 minutes'`,
    )
    await server.app.db.query(
      `update payouts set created_at = created_at - interval '10 minutes' where reference = $1`,
      [reference],
    )
    await ends(reference, 'completed')
    assert.deepEqual(
      sent.map((order) => order.attempt),
      [1],
    )
  })

  it('is taken over where a rail has it, as whichever submission it was sent', async () => {
    for (const attempt of [1, 3]) {
      const { id, reference } = await restoredWith((id) => ({ [`${id} ${attempt}`]: paid(id) }))
      await ends(reference, 'completed')
      const [row] = await server.app.db.query(
        'select submissions, rail from payouts where id = $1',
        [id],
      )
      assert.deepEqual([row, sent], [{ submissions: attempt, rail: 'one' }, []])
      await release(server.app, 'Ada')
    }
  })

  /** Lets a restored payout stand as one made so many minutes before the restore. */
  const madeBefore = (id: string, minutes: number) =>
    server.app.db.query(
      `update payouts set created_at = created_at - $2 * interval '1 minute' where id = $1`,
      [id, minutes],
    )

  it('is found however many submissions were used up after the backup', async () => {
    const { id, reference } = await restoredWith((id) => ({ [`${id} 30`]: paid(id) }))
    await madeBefore(id, 10)
    await release(server.app, 'Ada')
    await ends(reference, 'completed')
    const [row] = await server.app.db.query('select submissions from payouts where id = $1', [id])
    assert.deepEqual([row, sent], [{ submissions: 30 }, []])
  })

  it('is not sent where more submissions may have been used up than are looked for', async () => {
    const { id, reference } = await restoredWith((id) => ({ [`${id} 1500`]: paid(id) }))
    await madeBefore(id, 24 * 60)
    await release(server.app, 'Ada')
    await stays(reference, 'pending')
    const [incident] = await server.app.db.query(
      'select kind, rail from provider_incidents where subject = $1',
      [id],
    )
    assert.deepEqual([incident, sent], [{ kind: 'submission_unknown', rail: 'one' }, []])
    // A person who has looked it up, and found it at no rail, cancels it.
    const run = (...more: string[]) =>
      runCommand(server.app, ['outgoing', 'cancel', id, '--by', 'Ada', ...more])
    const refused = await run()
    assert.deepEqual([refused.code, await statusOf(reference)], [1, 'pending'])
    assert.match(refused.err, /is not canceled\. .*If none is there, add --looked-up\./)
    assert.equal((await run('--looked-up')).code, 0)
    assert.equal(await statusOf(reference), 'canceled')
    assert.deepEqual(await entriesOf(id), [{ status: 'canceled', by: 'Ada', looked_up: true }])
  })

  /** What the merchant's audit log says of the end of an order. */
  const entriesOf = async (id: string) =>
    (
      await server.app.db.query<{ after: object }>(
        `select after from audit_log where action in ('order.canceled', 'order.paid') and subject = $1 and not livemode`,
        [id],
      )
    ).map(({ after }) => after)

  it('is looked for from where a search was interrupted, once nothing can be on its way', async (t) => {
    const { id, reference } = await restoredWith(() => ({}))
    await madeBefore(id, 60)
    const { ask } = rail
    const asked: number[] = []
    t.after(() => Object.assign(rail, { ask, orderLifeMs: 0 }))
    /** Has the rail answer so many queries, and say the rest is for later. */
    const search = async (answers: number): Promise<[first: number, last: number]> => {
      asked.length = 0
      rail.ask = async (order) => {
        asked.push(order.attempt)
        return asked.length > answers ? { ...unknown, askAgainInMs: 86_400_000 } : ask(order)
      }
      await wake()
      await server.idle()
      assert.deepEqual(await timersOf(id), [{}])
      return [asked[0] as number, asked.at(-1) as number]
    }
    await search(0)
    rail.orderLifeMs = 600_000
    assert.deepEqual(await search(10), [1, 11])
    assert.deepEqual(await search(10), [1, 11])
    rail.orderLifeMs = 0
    assert.deepEqual(await search(10), [1, 11])
    assert.deepEqual(await search(10), [11, 21])
    assert.deepEqual(await search(100), [21, 121])
    // Another restore starts it over.
    await markRestored(server.app.db, server.app.clock, null)
    assert.deepEqual(await search(10), [1, 11])
    await search(10)
    has = { [`${id} 200`]: paid(id) }
    await release(server.app, 'Ada')
    rail.ask = ask
    await ends(reference, 'completed')
    assert.deepEqual(sent, [])
  })

  it('is not sent while a rail does not say whether it has it, though it was let go', async () => {
    const { id, reference } = await restoredWith((id) => ({ [id]: unknown }))
    await release(server.app, 'Ada')
    await stays(reference, 'pending')
    has = { [`${id} 2`]: paid(id) }
    await ends(reference, 'completed')
    assert.deepEqual(sent, [])
  })

  it('is not sent again where it was being sent at the backup, and then as another submission', async () => {
    const { id, reference } = await restoredWith(() => ({}))
    // It stood as sent, its rail refused it then, and took it at the second try.
    await server.app.db.query(
      `update payouts set status = 'processing', submissions = 1, sent_at = created_at where id = $1`,
      [id],
    )
    await server.app.db.query(`update timers set task = 'payouts.ask' where subject = $1`, [id])
    await stays(reference, 'processing')
    assert.deepEqual(sent, [])
    has = { [`${id} 2`]: paid(id) }
    await release(server.app, 'Ada')
    await ends(reference, 'completed')
    assert.deepEqual(sent, [])
  })

  it('is not given back while it waits for a second person, who may have approved it since the backup', async () => {
    const [manager, approver] = [
      await keyWith(server, ['manage']),
      await keyWith(server, ['approve']),
    ]
    const above = async (approve_above: number | null) =>
      must(manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', approve_above }] }))
    const endTime = (id: string) =>
      server.app.db.query(
        `update payouts set approval_details = jsonb_set(approval_details, '{until}', to_jsonb(created_at)) where id = $1`,
        [id],
      )
    await above(0)
    const { id, reference } = await restoredWith((id) => ({ [`${id} 1`]: unknown }))
    const refused = await approver.call('POST', `/payouts/${reference}/refuse`)
    assert.deepEqual([refused.status, refused.code], [400, 'payout_not_cancelable'])
    await endTime(id)
    await stays(reference, 'pending')
    has = { [`${id} 1`]: paid(id) }
    await ends(reference, 'completed')
    const { approval, approval_details } = await must(server.call('GET', `/payouts/${reference}`))
    assert.deepEqual([approval, approval_details.decided_by, sent], ['approved', null, []])
    await release(server.app, 'Ada')

    const unsent = await restoredWith(() => ({}))
    await endTime(unsent.id)
    await ends(unsent.reference, 'canceled')
    assert.deepEqual(sent, [])
    await release(server.app, 'Ada')

    // Who releases what is held sends none that waits.
    const open = await restoredWith(() => ({}))
    await release(server.app, 'Ada')
    await settled(server.app)
    assert.equal(await statusOf(open.reference), 'pending')
    await must(approver.call('POST', `/payouts/${open.reference}/approve`))
    await ends(open.reference, 'completed')
    assert.equal(sent.length, 1)
    await above(null)
  })

  it('is held for a refund too, and sent once', async () => {
    const opened = await must(
      server.call('POST', '/payments', { reference: 'paid-1', amount: 500_000, currency: 'ngn' }),
    )
    await must(
      server.call('POST', `/payments/${opened.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    obstacle = 'balance_too_low'
    has = {}
    sent = []
    const { id } = await must(server.call('POST', '/refunds', { payment: opened.id }))
    await until(async () => (await timersOf(id)).length === 1)
    await markRestored(server.app.db, server.app.clock, null)
    obstacle = null
    const status = async (): Promise<string> =>
      (await must(server.call('GET', `/refunds/${id}`))).status
    for (let round = 0; round < 3; round++) {
      await wake()
      await server.idle()
    }
    assert.deepEqual([await status(), sent], ['initiated', []])
    await release(server.app, 'Ada')
    await until(async () => (await status()) === 'completed')
    assert.deepEqual(
      sent.map((order) => order.id),
      [id],
    )
  })

  it('ends a refund that screening held in the backup, and that was released and sent since, as its rail says', async () => {
    const operator = await operatorOf(server)
    const opened = await must(
      server.call('POST', '/payments', {
        reference: 'paid-held',
        amount: 500_000,
        currency: 'ngn',
      }),
    )
    const { transaction } = await must(
      server.call('POST', `/payments/${opened.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    const { source } = await must(server.call('GET', `/transactions/${transaction}/verify`))
    const entry = await must(
      operator('POST', '/operator/screening/entries', {
        type: 'account',
        kind: 'block',
        value: source.account_number,
      }),
    )
    has = {}
    sent = []
    const { id } = await must(server.call('POST', '/refunds', { payment: opened.id }))
    const refund = (): Promise<Json> => must(server.call('GET', `/refunds/${id}`))
    await until(async () => (await refund()).review !== null)
    await must(operator('DELETE', `/operator/screening/entries/${entry.id}`))
    await markRestored(server.app.db, server.app.clock, null)
    has = { [`${id} 1`]: paid(id) }
    const { docs } = await must(operator('GET', '/operator/reviews?status=waiting'))
    const review = `/operator/reviews/${docs.find(({ subject }: Json) => subject === id).id}`
    const refused = await operator('POST', `${review}/refuse`)
    assert.deepEqual([refused.status, refused.code], [409, 'outgoing_held'])
    await release(server.app, 'Ada')
    await until(async () => (await refund()).status === 'completed')
    assert.deepEqual([sent, (await must(operator('GET', review))).status], [[], 'ended'])
  })

  it('is not sent again for a refund that was taken at a later submission', async () => {
    const opened = await must(
      server.call('POST', '/payments', { reference: 'paid-2', amount: 500_000, currency: 'ngn' }),
    )
    await must(
      server.call('POST', `/payments/${opened.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    obstacle = 'balance_too_low'
    has = {}
    sent = []
    const { id } = await must(server.call('POST', '/refunds', { payment: opened.id }))
    await until(async () => (await timersOf(id)).length === 1)
    await markRestored(server.app.db, server.app.clock, null)
    obstacle = null
    has = { [`${id} 2`]: paid(id) }
    await release(server.app, 'Ada')
    await until(
      async () => (await must(server.call('GET', `/refunds/${id}`))).status === 'completed',
    )
    assert.deepEqual(sent, [])
  })

  it('is not sent for a refund while what the old server sent last may be on its way', async () => {
    const opened = await must(
      server.call('POST', '/payments', { reference: 'paid-3', amount: 500_000, currency: 'ngn' }),
    )
    await must(
      server.call('POST', `/payments/${opened.id}/simulate`, {
        outcome: 'completed',
        method: 'bank_transfer',
      }),
    )
    obstacle = 'balance_too_low'
    has = {}
    sent = []
    const { id } = await must(server.call('POST', '/refunds', { payment: opened.id }))
    await until(async () => (await timersOf(id)).length === 1)
    await markRestored(server.app.db, server.app.clock, null)
    obstacle = null
    rail.orderLifeMs = 600_000
    await release(server.app, 'Ada')
    for (let round = 0; round < 3; round++) {
      await wake()
      await server.idle()
    }
    assert.deepEqual(sent, [])
    rail.orderLifeMs = 0
    await until(async () => {
      await wake()
      return (await must(server.call('GET', `/refunds/${id}`))).status === 'completed'
    })
    assert.equal(sent.length, 1)
  })

  it('is canceled by a person, where no rail has it', async () => {
    const { id, reference } = await restoredWith((id) => ({ [id]: unknown }))
    const end = (isLookedUp = false) => cancel(server.app, id, { by: 'Ada', isLookedUp })
    for (const isLookedUp of [false, true])
      assert.match((await end(isLookedUp)) ?? '', /does not say whether it has it/)
    has = { [`${id} 1`]: { state: 'processing', providerReference: 'x', askAgainInMs: 1 } }
    assert.match((await end(true)) ?? '', /may have it since the backup/)
    has = {}
    rail.orderLifeMs = 600_000
    assert.match((await end(true)) ?? '', /may still take it until/)
    rail.orderLifeMs = 0
    assert.deepEqual(
      [await end(), await entriesOf(id)],
      [null, [{ status: 'canceled', by: 'Ada' }]],
    )
    assert.match((await end()) ?? '', /no payout, refund or return that waits/)
    await release(server.app, 'Ada')
    await stays(reference, 'canceled')
    assert.deepEqual(sent, [])
  })

  it('is ended as paid by a person who has found it', async () => {
    const { id, reference } = await restoredWith(() => ({}))
    const request = { by: 'Ada', reference: 'found-1' }
    assert.equal(await settle(server.app, id, request), true)
    assert.equal(await settle(server.app, id, request), false)
    assert.deepEqual(await entriesOf(id), [{ status: 'completed', ...request }])
    await release(server.app, 'Ada')
    await stays(reference, 'completed')
    assert.equal(
      (await must(server.call('GET', `/payouts/${reference}`))).provider_reference,
      'found-1',
    )
    assert.deepEqual(sent, [])
  })

  it('never holds the sandbox, whose money is none', async () => {
    await hold(server.app)
    const dollars = {
      country: 'us',
      routing_number: '110000000',
      account_number: '000123456789',
      account_name: 'Ada',
    }
    await server.fund('usd', 1_000_000)
    const destination = { ...dollars, account_type: 'checking' }
    const payout = await must(
      server.call(
        'POST',
        '/payouts',
        bankPayout('sandbox-1', 1_000, { currency: 'usd', destination }),
      ),
    )
    await until(async () => (await statusOf(payout.reference)) === 'completed')
    await release(server.app, 'Ada')
  })

  it('leaves out deposit addresses and places of events that may have been given out since', async () => {
    const { db } = server.app
    const base = async () =>
      (await db.query<{ base: bigint }>('select base from event_positions'))[0]?.base as bigint
    await db.query(`insert into crypto_keys (key, next_index) values ('xpub test', 7)`)
    const before = await base()
    await markRestored(db, server.app.clock, null)
    assert.deepEqual(await db.query(`select next_index from crypto_keys where key = 'xpub test'`), [
      { next_index: 100_007n },
    ])
    assert.equal((await base()) - before, 1_000_000_000n)
    await release(server.app, 'Ada')
    const payout = await must(server.call('POST', '/payouts', bankPayout('after-1', 100_000)))
    const [event] = await db.query<{ position: bigint }>(
      'select max(position) as position from events',
    )
    assert.ok(payout && (event?.position as bigint) > before + 1_000_000_000n)
  })
})

describe('a treasury whose books were restored', () => {
  it('signs nothing while outgoing money is held, and shows what it has sent since', async (t) => {
    const treasury = await startTreasury(t)
    const { db, clock, chain, signer, anvil } = treasury
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    await finish(treasury, order)
    assert.deepEqual(
      (await lostTransactions([chain], db)).map((one) => one.sent),
      [0n],
    )
    // As it stood in a backup from before it was signed.
    await db.query('delete from evm_broadcasts')
    await db.query(
      `update evm_transactions set status = 'queued', sender = null, nonce = null, gas = null, hash = null, block_number = null`,
    )
    await db.query('update evm_senders set next_nonce = 0')
    await markRestored(db, clock, null)
    for (let round = 0; round < 3; round++) {
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match(
      (await treasury.trouble()) ?? '',
      /^outgoing money is held since data were restored/,
    )
    assert.equal(await anvil.node.getTransactionCount({ address: signer.address }), 1)
    const [lost] = await lostTransactions([chain], db)
    assert.deepEqual([lost?.sent, lost?.next_nonce, lost?.trouble], [1n, 0n, null])

    // A person has found it on the chain: it is not signed again, also after the release.
    assert.equal(await treasury.rail.withdraw?.(order), true)
    await releaseOutgoing(db, clock.now(), 'Ada')
    for (let round = 0; round < 3; round++) {
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal(await anvil.node.getTransactionCount({ address: signer.address }), 1)
    assert.equal(await treasury.received(order), order.amount * treasury.unit)
  })
})
