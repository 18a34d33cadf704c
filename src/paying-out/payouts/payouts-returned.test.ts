/**
 * Goal: what had arrived and comes back is in the wallet again, once, by a transaction of its own,
 * and nothing else has changed. Method: the sandbox's returns over HTTP; and a rail whose answers
 * are a script for what it never says.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { assertEventsFit } from '../../../test/support/events.ts'
import {
  bankPayout,
  type Json,
  must,
  startServer,
  type TestServer,
  until,
} from '../../../test/support/harness.ts'
import {
  completed,
  minuteMs,
  notFound,
  processing,
  returned,
  scriptRail,
  timeOut,
  tooLow,
} from '../../../test/support/scripted-rail.ts'
import { maxAmount } from '../../lib/money.ts'
import type { OrderState } from '../../rails/ports/rail.ts'

let server: TestServer
let merchant: Merchant
let count = 0

const simulate = (reference: string, outcome: string, more: object = {}) =>
  server.call('POST', `/payouts/${reference}/simulate`, { outcome, ...more })
const arrived = async (more: object = {}): Promise<Json> => {
  const { reference } = await must(
    server.call('POST', '/payouts', bankPayout(`back-${++count}`, 100_000, { ...more })),
  )
  return must(simulate(reference, 'completed'))
}
const returns = async (): Promise<Json[]> =>
  (await must(server.call('GET', '/transactions?type=payout_return&limit=100'))).docs

before(async () => {
  server = await startServer({ SANDBOX_DELAY: '1h' })
  merchant = newMerchant(server)
  await server.fund('ngn', 10_000_000)
  await server.fund('usd', 10_000_000)
})
after(() => server.stop())

describe('a payout that comes back', () => {
  it('is in the wallet again, less its fee, by a transaction of its own', async () => {
    const payout = await arrived()
    const sent = await must(server.call('GET', `/transactions/${payout.transaction}/verify`))
    const { available, pending } = await merchant.balance()
    const { data, status } = await simulate(payout.reference, 'returned', {
      failure_reason: 'invalid_account',
    })
    assert.deepEqual(
      [status, data.status, data.failure_reason],
      [200, 'returned', 'invalid_account'],
    )
    assert.deepEqual(await merchant.balance(), {
      available: available + payout.net_amount,
      pending,
    })
    const { id, created_at, updated_at, ...back } = await must(
      server.call('GET', `/transactions/${data.return_transaction}/verify`),
    )
    assert.deepEqual(back, {
      type: 'payout_return',
      method: 'bank_transfer',
      direction: 'credit',
      status: 'completed',
      currency: 'ngn',
      amount: payout.net_amount,
      fee: 0,
      net: payout.net_amount,
      balance_after: available + payout.net_amount,
      balance_change: payout.net_amount,
      completed_at: updated_at,
      late: false,
      reference: payout.reference,
      customer: null,
      related: { payout: payout.id },
      livemode: false,
      metadata: {},
    })
    assert.deepEqual([id, created_at], [data.return_transaction, updated_at])
    assert.deepEqual(
      await must(server.call('GET', `/transactions/${payout.transaction}/verify`)),
      sent,
    )
    assert.deepEqual(await must(server.call('GET', `/payouts/${payout.reference}`)), data)
  })

  it('tells of it by an event, after those that it had', async () => {
    const payout = await arrived()
    const { data } = await simulate(payout.reference, 'returned')
    const told = (await must(server.call('GET', '/events?limit=100'))).docs.filter(
      ({ payload }: Json) => payload.id === payout.id,
    )
    assert.deepEqual(
      told.map(({ type }: Json) => type),
      ['payout.returned', 'payout.completed', 'payout.initiated'],
    )
    assert.deepEqual(told[0].payload, data)
    assert.equal(told[1].payload.status, 'completed')
    await assertEventsFit(server, told, ['payout.completed', 'payout.initiated', 'payout.returned'])
  })

  it('is found by its status, in the list and in the export', async () => {
    const payout = await arrived()
    await simulate(payout.reference, 'returned')
    const { docs, totalDocs } = await must(server.call('GET', '/payouts?status=returned&limit=100'))
    assert.ok(docs.some(({ id }: Json) => id === payout.id))
    assert.ok(docs.every(({ status }: Json) => status === 'returned'))
    assert.equal(totalDocs, docs.length)
    const { body } = await server.call('GET', '/payouts/export?status=returned')
    assert.ok(body.includes(payout.reference))
  })

  it('comes back at the rate at which it left', async () => {
    const { available } = await merchant.balance('usd')
    const destination = {
      currency: 'usdc',
      chain: 'base',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
    }
    for (const to of [{ destination, method: 'crypto' }, {}]) {
      const payout = await arrived({ currency: 'usd', ...to })
      await must(simulate(payout.reference, 'returned'))
    }
    const paid = (await must(server.call('GET', '/payouts?currency=usd'))).docs.reduce(
      (sum: number, { fee }: Json) => sum + fee,
      0,
    )
    assert.equal((await merchant.balance('usd')).available, available - paid)
  })

  it('stands in the statement as money that came in by payouts', async () => {
    const month = new Date().toISOString().slice(0, 7)
    const ofPayouts = async () => {
      const { wallets } = await must(server.call('GET', `/statements/${month}`))
      const ngn = wallets.find(({ currency }: Json) => currency === 'ngn')
      return ngn.activity.find(({ type }: Json) => type === 'payout')
    }
    const payout = await arrived()
    const before = await ofPayouts()
    await must(simulate(payout.reference, 'returned'))
    assert.deepEqual(await ofPayouts(), { ...before, in: before.in + payout.net_amount })
  })

  it('is only simulated after it has arrived, and once', async () => {
    const { reference } = await must(
      server.call('POST', '/payouts', bankPayout(`back-${++count}`, 100_000)),
    )
    await merchant.isRefused(
      'POST',
      `/payouts/${reference}/simulate`,
      { outcome: 'returned' },
      400,
      'payout_not_completed',
    )
    await must(simulate(reference, 'completed'))
    const returned = await must(simulate(reference, 'returned'))
    assert.deepEqual(await must(simulate(reference, 'returned')), returned)
    for (const outcome of ['completed', 'failed'])
      await merchant.isRefused(
        'POST',
        `/payouts/${reference}/simulate`,
        { outcome },
        400,
        'payout_already_final',
      )
    await merchant.isRefused(
      'POST',
      `/payouts/${reference}/cancel`,
      undefined,
      400,
      'payout_not_cancelable',
    )
  })

  it('is paid for good once the bank has said so, whatever is decided of a time before', async () => {
    const { payout: rail } = server.app.rails.test.sandbox.ports
    const { decide } = rail
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let begun = false
    rail.decide = async (...of) => {
      begun = true
      await held
      return decide(...of)
    }
    const { id, reference } = await must(
      server.call('POST', '/payouts', bankPayout(`back-${++count}`, 100_000)),
    )
    const late = simulate(reference, 'failed')
    await until(async () => begun)
    rail.decide = decide
    await merchant.advance('3h')
    await until(
      async () => (await must(server.call('GET', `/payouts/${reference}`))).status === 'completed',
    )
    release()
    assert.deepEqual([(await late).status, (await late).code], [400, 'payout_already_final'])
    const { rows } = await server.asOwner(`select outcome from sandbox_orders where id = '${id}'`)
    assert.deepEqual(rows, [{ outcome: 'completed' }])
  })

  it('is refused by a wallet that cannot hold it, and comes in when it can', async () => {
    const payout = await arrived()
    const { available, pending } = await merchant.balance()
    await server.fund('ngn', Number(maxAmount) - available - pending)
    const full = { outcome: 'returned' }
    await merchant.isRefused(
      'POST',
      `/payouts/${payout.reference}/simulate`,
      full,
      400,
      'amount_too_large',
    )
    const { rows } = await server.asOwner(
      `select returned from sandbox_orders where id = '${payout.id}'`,
    )
    assert.deepEqual(rows, [{ returned: null }])
    const scripted = scriptRail(server)
    scripted.script.ask.push(returned, returned)
    await scripted.ask(payout.id)
    const asks = (await scripted.waits(payout.id)).filter(([task]) => task === 'payouts.ask')
    assert.deepEqual(asks, [['payouts.ask', 5 * minuteMs]])
    const { id } = await must(
      server.call('POST', '/payouts', bankPayout(`back-${++count}`, 1_000_000)),
    )
    scripted.script.send.push(completed)
    await scripted.submit(id)
    await scripted.ask(payout.id, 5 * minuteMs)
    assert.equal(
      (await must(server.call('GET', `/payouts/${payout.reference}`))).status,
      'returned',
    )
  })
})

describe('a rail that says that a payout came back', () => {
  let scripted: ReturnType<typeof scriptRail>
  const get = (reference: string): Promise<Json> =>
    must(server.call('GET', `/payouts/${reference}`))
  const submitted = async (...said: OrderState[]): Promise<Json> => {
    const payout = await must(
      server.call('POST', '/payouts', bankPayout(`back-${++count}`, 100_000)),
    )
    scripted.script.send.push(...said)
    await scripted.submit(payout.id)
    scripted.heard()
    return payout
  }
  beforeEach(() => {
    scripted = scriptRail(server)
  })

  it('is booked once, however many notify of it at once', async () => {
    const { id, reference, net_amount } = await submitted(completed)
    const { available } = await merchant.balance()
    const count = (await returns()).length
    scripted.script.ask.push(...Array.from({ length: 8 }, () => returned))
    await Promise.all(Array.from({ length: 8 }, () => scripted.notify(id)))
    assert.equal((await get(reference)).status, 'returned')
    assert.equal((await merchant.balance()).available, available + net_amount)
    assert.equal((await returns()).length, count + 1)
  })

  it('has not said it of one that is asked about and stands: nothing is sent, and nothing changes', async () => {
    const { id, reference } = await submitted(completed)
    const before = await get(reference)
    for (const said of [completed, processing, notFound, timeOut, tooLow]) {
      scripted.script.ask.push(said)
      await scripted.notify(id, 20 * minuteMs)
    }
    assert.deepEqual(scripted.heard(), ['ask', 'ask', 'ask', 'ask', 'ask'])
    assert.deepEqual(await get(reference), before)
  })

  it('says it for good', async () => {
    const { id, reference } = await submitted(completed)
    scripted.script.ask.push(returned)
    await scripted.notify(id)
    const before = await get(reference)
    assert.equal(before.status, 'returned')
    await scripted.notify(id)
    await scripted.submit(id, 20 * minuteMs)
    assert.deepEqual(scripted.heard(), ['ask'])
    assert.deepEqual(await get(reference), before)
  })

  it('may never have said that it arrived: then it has failed, and all of it is back', async () => {
    const { available } = await merchant.balance()
    const { id, reference } = await submitted(processing)
    scripted.script.ask.push(returned)
    await scripted.notify(id)
    const { status, failure_reason, return_transaction } = await get(reference)
    assert.deepEqual(
      [status, failure_reason, return_transaction],
      ['failed', 'invalid_account', null],
    )
    assert.equal((await merchant.balance()).available, available)
  })

  it('may call it failed', async () => {
    const { id, reference } = await submitted(completed)
    scripted.script.ask.push({
      state: 'failed',
      reason: 'bank_unavailable',
      providerReference: null,
    })
    await scripted.notify(id)
    assert.equal((await get(reference)).status, 'returned')
  })
})

describe('what notifies of a payout on its way', () => {
  it('asks, and leaves the timer that there is', async () => {
    const scripted = scriptRail(server)
    const { id, reference } = await must(
      server.call('POST', '/payouts', bankPayout(`back-${++count}`, 100_000)),
    )
    scripted.script.send.push(processing)
    await scripted.submit(id)
    const waits = await scripted.waits(id)
    scripted.script.ask.push(processing, processing, completed)
    for (let i = 0; i < 3; i++) await scripted.notify(id)
    assert.deepEqual(await scripted.waits(id), waits)
    assert.equal((await must(server.call('GET', `/payouts/${reference}`))).status, 'completed')
  })
})
