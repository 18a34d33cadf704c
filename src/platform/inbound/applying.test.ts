/**
 * Goal: what a provider notifies of ends where asking it would have ended, in any order, told
 * often, seldom or too early; no word of a webhook is believed. Method: payouts and refunds over a
 * scripted rail, with webhooks by HTTP.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import {
  bankPayout,
  ctxOf,
  type Json,
  must,
  settled,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import {
  giveInbound,
  keptIn,
  notifierOf,
  outcomeOf,
  signedBy,
} from '../../../test/support/notifier.ts'
import {
  completed,
  processing,
  returned,
  scriptRail,
  timeOut,
  tooLow,
} from '../../../test/support/scripted-rail.ts'
import { verifyBooks } from '../../app/main.ts'
import { later } from '../../lib/clock.ts'
import type { InboundNotification } from '../../rails/ports/inbound.ts'
import { closeIncident, listIncidents, openIncident } from '../incidents/incidents.ts'
import { deleteOldEvents, keepProviderId, keepReference, replayEvents } from './inbound.ts'

const hour = 3_600_000

describe('what a provider notifies of', () => {
  let server: TestServer
  let merchant: Merchant
  let rail: ReturnType<typeof scriptRail>
  let notify: ReturnType<typeof notifierOf>
  let number = 0

  before(async () => {
    // Payouts wait until they are submitted by hand.
    server = await startServer({ SANDBOX_DELAY: '1h' })
    merchant = newMerchant(server)
    await server.fund('ngn', 100_000_000)
    rail = scriptRail(server)
    rail.rail.referenceOf = async ({ id, attempt }) => `po-${id}${attempt > 1 ? `-${attempt}` : ''}`
    giveInbound(server.app, 'test', { sandbox: signedBy('now') })
    notify = notifierOf(server.url, 'sandbox', 'test')
  })
  after(() => server.stop())
  beforeEach(() => rail.heard())

  const query = (text: string, params: unknown[] = []): Promise<Json[]> =>
    server.app.db.query(text, params)
  const statusOf = async (reference: string): Promise<string> =>
    (await must(server.call('GET', `/payouts/${reference}`))).status
  /** A payout that its rail has, and says to be `said`. */
  async function sent(said = processing) {
    const reference = `sent-${++number}`
    const { id } = await must(server.call('POST', '/payouts', bankPayout(reference, 100_000)))
    rail.script.send.push(said)
    await rail.submit(id)
    rail.heard()
    return { reference, id, about: `po-${id}` }
  }
  const told = (event: string, about: string, more: object = {}) =>
    notify({ event, id: about, kind: 'payout', reference: about, ...more })
  /** Lets an event be looked at again now that waits. */
  const dueNow = () => query("update timers set due_at = now() where task = 'inbound.apply'")
  const lastEvent = async () =>
    (await keptIn(server.app)).at(-1) as NonNullable<Awaited<ReturnType<typeof keptIn>>[0]>
  const waitsFor = async (id: string): Promise<number | null> => {
    const [row] = await query(
      'select due_at, (select received_at from provider_events where id = $1) from timers where subject = $1',
      [id],
    )
    return row?.due_at
      ? Math.round((row.due_at.getTime() - row.received_at.getTime()) / 1_000)
      : null
  }

  it('is asked about, and nothing of its body is believed', async () => {
    const payout = await sent()
    rail.script.ask.push(completed)
    assert.equal(
      await told('transfer.failed', payout.about, { amount: 1, currency: 'usd', status: 'failed' }),
      200,
    )
    assert.equal(await outcomeOf(server, 'transfer.failed'), 'applied')
    assert.deepEqual([rail.heard(), await statusOf(payout.reference)], [['ask'], 'completed'])
    const event = await lastEvent()
    assert.deepEqual(
      [event.business_id, event.subject, event.body],
      [server.businessId, payout.id, null],
    )
    const unbelievable: InboundNotification['about'] = {
      kind: 'payout',
      reference: 'x',
      providerId: null,
      // @ts-expect-error a notification has no place for what must be asked
      amount: 1n,
    }
    assert.ok(unbelievable)
  })

  it('has its reference kept before the first byte is sent, of each submission', async () => {
    const { id } = await must(server.call('POST', '/payouts', bankPayout('kept', 100_000)))
    const found: Json[] = []
    rail.script.send.push(async () => {
      found.push(...(await query('select * from provider_references where subject = $1', [id])))
      return { ...processing, providerReference: 'trf-1' }
    })
    await rail.submit(id)
    const [{ created_at: _at, ...reference }] = found
    assert.deepEqual(reference, {
      business_id: server.businessId,
      livemode: false,
      rail: 'sandbox',
      kind: 'payout',
      reference: `po-${id}`,
      subject: id,
      provider_id: null,
    })
    const [learned] = await query(
      'select provider_id from provider_references where subject = $1',
      [id],
    )
    assert.equal(learned.provider_id, 'trf-1')

    const again = await must(server.call('POST', '/payouts', bankPayout('kept-again', 100_000)))
    rail.script.send.push(tooLow, processing)
    rail.script.ask.push({ state: 'not_found' })
    await rail.submit(again.id)
    await rail.submit(again.id)
    const both = await query(
      'select reference from provider_references where subject = $1 order by 1',
      [again.id],
    )
    assert.deepEqual(
      both.map(({ reference }) => reference),
      [`po-${again.id}`, `po-${again.id}-2`],
    )
  })

  it('finds its record by the provider’s own id too, and another’s id is left with who has it', async () => {
    const payout = await sent()
    const ctx = await ctxOf(server)
    const known = { rail: 'sandbox', kind: 'payout', reference: payout.about } as const
    await ctx.write((work) => keepProviderId(work, { ...known, providerId: 'ref-1' }))
    await ctx.write((work) => keepProviderId(work, { ...known, providerId: 'trf-77' }))
    rail.script.ask.push(completed)
    await notify({ event: 'by.id', id: '1', kind: 'payout', provider_id: 'trf-77' })
    assert.equal(await outcomeOf(server, 'by.id'), 'applied')
    assert.equal(await statusOf(payout.reference), 'completed')
    await ctx.write((work) => keepReference(work, { ...known, subject: payout.id }))
    await assert.rejects(
      ctx.write((work) => keepReference(work, { ...known, subject: ctx.scope.businessId })),
      /sandbox knows another payout by the reference/,
    )
  })

  it('comes to the same end when it is told many times at once', async () => {
    const payout = await sent()
    rail.script.ask.push(completed)
    await Promise.all(Array.from({ length: 8 }, () => told('twice', payout.about)))
    assert.equal(await outcomeOf(server, 'twice'), 'applied')
    await settled(server.app)
    assert.deepEqual(rail.heard(), ['ask'])
    rail.script.ask.push(completed, completed)
    await Promise.all([told('another', payout.about), told('and another', payout.about)])
    for (const event of ['another', 'and another'])
      assert.equal(await outcomeOf(server, event), 'nothing_to_do')
    const events = await query(
      "select 1 from events where type = 'payout.completed' and body like $1",
      [`%${payout.id}%`],
    )
    assert.equal(events.length, 1)
  })

  it('comes to the same end in any order: back before it had arrived', async () => {
    for (const order of [
      ['transfer.success', 'transfer.reversed'],
      ['transfer.reversed', 'transfer.success'],
    ] as const) {
      const payout = await sent()
      rail.script.ask.push(returned, returned)
      for (const event of order) {
        await told(`${event} ${number}`, payout.about)
        await outcomeOf(server, `${event} ${number}`)
      }
      // Its rail never told that it had arrived, so it has failed.
      assert.equal(await statusOf(payout.reference), 'failed')
      rail.script.ask.splice(0)
    }
  })

  it('may bring back what had arrived, as soon as the provider answers', async () => {
    const payout = await sent(completed)
    rail.script.ask.push(timeOut, { state: 'unknown', askAgainInMs: null }, returned)
    await told('reversed', payout.about)
    const event = await until(async () =>
      (await lastEvent()).tries === 1 ? await lastEvent() : null,
    )
    assert.deepEqual([await waitsFor(event.id), await statusOf(payout.reference)], [5, 'completed'])
    await dueNow()
    await until(async () => (await lastEvent()).tries === 2)
    assert.equal((await lastEvent()).outcome, null)
    await dueNow()
    assert.equal(await outcomeOf(server, 'reversed'), 'applied')
    assert.equal(await statusOf(payout.reference), 'returned')
  })

  it('is an incident when the provider gives no answer for three days, and is asked about on', async () => {
    const payout = await sent(completed)
    rail.script.ask.push(timeOut, timeOut, timeOut, completed)
    await told('silence', payout.about)
    await until(async () => (await lastEvent()).tries === 1)
    const { id } = await lastEvent()
    for (const tries of [2, 3]) {
      await query(
        "update provider_events set received_at = now() - interval '73 hours' where id = $1",
        [id],
      )
      await dueNow()
      await until(async () => (await lastEvent()).tries === tries)
      assert.ok(((await waitsFor(id)) as number) > 96 * 3_600)
    }
    const [incident] = await listIncidents(server.app.db, { rail: 'sandbox' })
    assert.deepEqual([incident?.kind, incident?.subject, incident?.times], ['stuck', id, 2])
    assert.deepEqual(incident?.detail.subject, payout.id)
    await dueNow()
    assert.equal(await outcomeOf(server, 'silence'), 'nothing_to_do')
    assert.ok(await closeIncident(server.app, incident?.id as string, 'Ada'))
  })

  it('waits for our own commit when it has overtaken it', async () => {
    const reference = 'overtaken'
    const { id } = await must(server.call('POST', '/payouts', bankPayout(reference, 100_000)))
    await told('early', `po-${id}`)
    await until(async () => (await lastEvent()).tries === 1)
    assert.equal(await waitsFor((await lastEvent()).id), 5)
    rail.script.send.push(processing)
    await rail.submit(id)
    rail.script.ask.push(completed)
    await dueNow()
    assert.equal(await outcomeOf(server, 'early'), 'applied')
    assert.equal(await statusOf(reference), 'completed')
  })

  it('is an incident when nobody knows what it is about, an hour later; and is applied when somebody does', async () => {
    const waits: (number | null)[] = []
    await told('stranger', 'po-stranger')
    for (let tries = 1; tries <= 4; tries++) {
      await until(async () => (await lastEvent()).tries === tries)
      await query(
        "update provider_events set received_at = date_trunc('milliseconds', now()) where type = 'stranger'",
      )
      waits.push(await waitsFor((await lastEvent()).id))
      await dueNow()
    }
    // Since it was tried last, but for what this test takes.
    for (const [i, expected] of [5, 60, 600, 3_600].entries())
      assert.ok(Math.abs((waits[i] ?? 0) - expected) <= 2, `${waits}`)
    assert.equal(await outcomeOf(server, 'stranger'), 'unknown_subject')
    const { id } = await lastEvent()
    const [incident] = await listIncidents(server.app.db, { rail: 'sandbox' })
    assert.deepEqual(
      [incident?.kind, incident?.subject, incident?.detail.reference],
      ['unknown_subject', id, 'po-stranger'],
    )

    const payout = await sent()
    rail.script.ask.push(completed)
    await query("update provider_references set reference = 'po-stranger' where subject = $1", [
      payout.id,
    ])
    assert.equal(await replayEvents(server.app, 'nobody', null), 0)
    assert.equal(await replayEvents(server.app, 'sandbox', id), 1)
    assert.equal(await outcomeOf(server, 'stranger'), 'applied')
    // Only a person closes it.
    assert.equal((await listIncidents(server.app.db, { rail: 'sandbox' }))[0]?.id, incident?.id)
    assert.ok(await closeIncident(server.app, incident?.id as string, 'Ada'))
  })

  it('is for a person when this version does nothing about it', async () => {
    await notify({ event: 'dispute.create', id: '1', kind: 'dispute', reference: 'x' })
    assert.equal(await outcomeOf(server, 'dispute.create'), 'quarantined')
    const [incident] = await listIncidents(server.app.db, { rail: 'sandbox' })
    assert.deepEqual(
      [incident?.kind, incident?.detail.event],
      ['unhandled_event', 'dispute.create'],
    )
    assert.ok(await closeIncident(server.app, incident?.id as string, 'Ada'))
  })

  it('applies to refunds as to payouts', async () => {
    const payment = await merchant.takePayment('card')
    rail.script.ask.push({ state: 'not_found' })
    rail.script.send.push(processing)
    const { data: refund } = await merchant.refund(payment)
    await until(
      async () =>
        (await query('select 1 from provider_references where subject = $1', [refund.payment]))
          .length > 0,
    )
    await settled(server.app)
    rail.script.ask.push(completed)
    await notify({
      event: 'refund.processed',
      id: '1',
      kind: 'refund',
      reference: `po-${refund.id}`,
    })
    assert.equal(await outcomeOf(server, 'refund.processed'), 'applied')
    assert.equal((await must(server.call('GET', `/refunds/${refund.id}`))).status, 'completed')
  })

  it('is missed by the books when it was forgotten', async () => {
    const payout = await sent(completed)
    rail.script.ask.push(timeOut)
    await told('forgotten', payout.about)
    await until(async () => (await lastEvent()).tries === 1)
    const { id } = await lastEvent()
    await settled(server.app)
    const found = async () => (await verifyBooks(server.app)).differences.map(({ what }) => what)
    assert.deepEqual(await found(), [])
    // However often it is applied anew, one job at a time goes on with it.
    for (let i = 1; i <= 3; i++) {
      rail.script.ask.push(timeOut)
      assert.equal(await replayEvents(server.app, 'sandbox', id), 1)
      await until(async () => (await lastEvent()).tries === 1)
    }
    rail.heard()
    await dueNow()
    rail.script.ask.push(timeOut)
    await until(async () => (await lastEvent()).tries === 2)
    await settled(server.app)
    assert.deepEqual(
      [rail.heard(), await query('select 1 from timers where subject = $1', [id])].map(
        (all) => all.length,
      ),
      [1, 1],
    )
    await query('delete from timers where subject = $1', [id])
    assert.deepEqual(await found(), [`event ${id} of sandbox`])
    rail.script.ask.push(completed)
    assert.equal(await replayEvents(server.app, 'sandbox', id), 1)
    assert.equal(await outcomeOf(server, 'forgotten'), 'nothing_to_do')
  })

  it('is kept for PROVIDER_EVENTS_KEEP once it is applied, and for as long as a person has to look at it', async () => {
    await notify({ event: 'dispute.old', id: '1', kind: 'dispute', reference: 'x' })
    assert.equal(await outcomeOf(server, 'dispute.old'), 'quarantined')
    const [incident] = await listIncidents(server.app.db, { rail: 'sandbox' })
    const at = (afterMs: number) => ({
      ...server.app,
      clock: { now: () => later(new Date(), afterMs) },
    })
    const before = (await keptIn(server.app)).length
    await deleteOldEvents(at(89 * 24 * hour))
    assert.equal((await keptIn(server.app)).length, before)
    await Promise.all([deleteOldEvents(at(91 * 24 * hour)), deleteOldEvents(at(91 * 24 * hour))])
    assert.deepEqual(
      (await keptIn(server.app)).map(({ type }) => type),
      ['dispute.old'],
    )
    await closeIncident(server.app, incident?.id as string, 'Ada')
    await deleteOldEvents(at(91 * 24 * hour))
    assert.deepEqual(await keptIn(server.app), [])
  })
})

describe('an incident', () => {
  it('is open once for what it is about, until a person closes it', async (t) => {
    const server = await startServer()
    t.after(() => server.stop())
    const { db } = server.app
    const at = new Date('2026-11-22T09:00:00Z')
    const one = {
      livemode: true,
      rail: 'shop',
      kind: 'stuck',
      subject: 'a',
      detail: { reference: 'po-1' },
      at,
    } as const
    const ids = await Promise.all(Array.from({ length: 10 }, () => openIncident(db, one)))
    assert.equal(new Set(ids).size, 1)
    const others = [
      { livemode: false },
      { rail: 'shop-2' },
      { kind: 'quarantined' as const },
      { subject: 'b' },
    ]
    for (const other of others) await openIncident(db, { ...one, ...other })
    await assert.rejects(
      (await ctxOf(server)).write(async (work) => {
        await openIncident(work.tx, { ...one, subject: 'undone' })
        throw new Error('undone')
      }),
    )
    assert.equal((await listIncidents(db, {})).length, 5)
    assert.equal(
      (await listIncidents(db, { rail: 'shop' })).find(({ id }) => id === ids[0])?.times,
      10,
    )
    const closed = await closeIncident(server.app, ids[0] as string, 'Ada')
    assert.equal(closed?.closed_by, 'Ada')
    assert.equal(await closeIncident(server.app, ids[0] as string, 'Bola'), null)
    assert.notEqual(await openIncident(db, one), ids[0])
    assert.equal((await listIncidents(db, { closed: true })).length, 6)
  })
})
