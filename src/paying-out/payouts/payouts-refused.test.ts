/**
 * Goal: a payout that its rail refuses for now is pending again, and one that may have been taken
 * never is. Method: a server whose rail answers by a script; jobs are run by hand, at times of the
 * test's own.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newMerchant } from '../../../test/support/actors.ts'
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
  rejected,
  scriptRail,
  timeOut,
  tooLow,
} from '../../../test/support/scripted-rail.ts'
import type { OrderState } from '../../rails/ports/rail.ts'

let server: TestServer
let scripted: ReturnType<typeof scriptRail>
let payout: Json
let count = 0

const status = async () => (await must(server.call('GET', `/payouts/${payout.reference}`))).status
before(async () => {
  server = await startServer({ SANDBOX_DELAY: '1h' }, undefined, undefined, 'none')
  await server.fund('ngn', 100_000_000)
})
after(() => server.stop())
beforeEach(async () => {
  scripted = scriptRail(server)
  payout = await must(server.call('POST', '/payouts', bankPayout(`refused-${++count}`, 100_000)))
})

describe('a payout that its rail refuses for now', () => {
  it('is pending again once the rail says that it has not taken it, and can be canceled', async () => {
    const held = await newMerchant(server).balance()
    scripted.script.send.push(tooLow)
    scripted.script.ask.push(notFound)
    await scripted.submit(payout.id)
    assert.deepEqual(scripted.heard(), ['send', 'ask'])
    assert.equal(await status(), 'pending')
    assert.deepEqual(await newMerchant(server).balance(), held)
    // The rail says when: forty seconds.
    const offered = (await scripted.waits(payout.id))
      .filter(([task]) => task === 'payouts.submit')
      .map(([, at]) => at)
    assert.ok(offered.includes(40_000), `${offered}`)
    const canceled = await must(server.call('POST', `/payouts/${payout.reference}/cancel`))
    assert.equal(canceled.status, 'canceled')
    await scripted.submit(payout.id, minuteMs)
    assert.deepEqual(scripted.heard(), [])
  })

  it('is offered again under the same id, as a new submission, and paid once', async () => {
    scripted.script.send.push(tooLow, completed)
    scripted.script.ask.push(notFound)
    await scripted.submit(payout.id)
    await scripted.submit(payout.id, 40_000)
    const orders = scripted.orders()
    assert.deepEqual(
      orders.map(({ id, attempt }) => [id, attempt]),
      [
        [payout.id, 1],
        [payout.id, 1],
        [payout.id, 2],
      ],
    )
    assert.equal(await status(), 'completed')
  })

  it('is what the rail says when it is asked, where it has taken it after all', async () => {
    scripted.script.send.push(tooLow)
    scripted.script.ask.push(completed)
    await scripted.submit(payout.id)
    assert.equal(await status(), 'completed')
  })

  it('stays with the rail while the rail does not confirm that it has not taken it', async () => {
    for (const unclear of [timeOut, { state: 'unknown', askAgainInMs: 30_000 } as const, tooLow]) {
      payout = await must(
        server.call('POST', '/payouts', bankPayout(`unclear-${++count}`, 100_000)),
      )
      scripted.script.send.push(tooLow)
      scripted.script.ask.push(unclear)
      await scripted.submit(payout.id)
      assert.equal(await status(), 'processing')
      const refused = await server.call('POST', `/payouts/${payout.reference}/cancel`)
      assert.deepEqual([refused.status, refused.code], [400, 'payout_not_cancelable'])
      assert.ok((await scripted.waits(payout.id)).some(([task]) => task === 'payouts.ask'))
    }
  })

  it('is pending again at once when not a byte of it was sent', async () => {
    scripted.script.send.push(notFound)
    await scripted.submit(payout.id)
    assert.deepEqual(scripted.heard(), ['send'])
    assert.equal(await status(), 'pending')
  })

  it('is not held by what is said late of a submission before', async () => {
    let answer = (): void => {}
    const late = new Promise<void>((resolve) => {
      answer = resolve
    })
    scripted.script.send.push(tooLow, processing)
    scripted.script.ask.push(async () => {
      await late
      return { state: 'failed', reason: 'rejected', providerReference: null }
    }, notFound)
    // The submission's own ask hangs; another ask holds the payout meanwhile, and it is submitted
    // again.
    const hanging = scripted.submit(payout.id)
    await until(async () => (await status()) === 'processing')
    await server.app.db.query("update payouts set status = 'pending' where id = $1", [payout.id])
    await scripted.submit(payout.id, minuteMs)
    answer()
    await hanging
    assert.equal(await status(), 'processing')
  })
})

describe('a payout whose answer was lost', () => {
  it('is never pending, and sent again only when it cannot be on its way any more', async () => {
    scripted.script.send.push(timeOut)
    await scripted.submit(payout.id)
    for (const afterMs of [5_000, minuteMs, 10 * minuteMs - 1]) {
      scripted.script.ask.push(notFound)
      await scripted.ask(payout.id, afterMs)
      assert.equal(await status(), 'processing')
    }
    assert.deepEqual(scripted.heard(), ['send', 'ask', 'ask', 'ask'])
    scripted.script.ask.push(notFound)
    scripted.script.send.push({ state: 'unknown', askAgainInMs: null })
    await scripted.ask(payout.id, 10 * minuteMs)
    assert.deepEqual(scripted.heard(), ['ask', 'send'])
    // From then on it may be on its way again.
    scripted.script.ask.push(notFound)
    await scripted.ask(payout.id, 19 * minuteMs)
    assert.deepEqual(scripted.heard(), ['ask'])
    scripted.script.ask.push(notFound)
    scripted.script.send.push(completed)
    await scripted.ask(payout.id, 20 * minuteMs)
    const sent = scripted.orders()
    assert.deepEqual(
      sent.map(({ id, attempt }) => [id, attempt]),
      [
        [payout.id, 1],
        [payout.id, 1],
      ],
    )
    assert.equal(await status(), 'completed')
  })

  it('is pending again when it is refused for now as it is sent again', async () => {
    scripted.script.send.push(timeOut, tooLow)
    scripted.script.ask.push(notFound, notFound)
    await scripted.submit(payout.id)
    await scripted.ask(payout.id, 10 * minuteMs)
    assert.equal(await status(), 'pending')
  })

  it('is sent again once, by whichever of two asks is first', async () => {
    scripted.script.send.push(timeOut, processing)
    await scripted.submit(payout.id)
    let asks = 0
    let both = (): void => {}
    const asked = new Promise<void>((resolve) => {
      both = resolve
    })
    const together = async () => {
      if (++asks === 2) both()
      await asked
      return notFound
    }
    scripted.script.ask.push(together, together)
    await Promise.all([
      scripted.ask(payout.id, 10 * minuteMs),
      scripted.ask(payout.id, 10 * minuteMs),
    ])
    assert.deepEqual(scripted.heard().sort(), ['ask', 'ask', 'send', 'send'])
    assert.equal(await status(), 'processing')
  })

  for (const late of [rejected, tooLow, notFound] as OrderState[])
    it(`is not ended by what is said late of a sending before: ${late.state}`, async () => {
      const answered = Promise.withResolvers<OrderState>()
      scripted.script.send.push(() => answered.promise, processing)
      scripted.script.ask.push(notFound)
      // The process that sent it stands still for so long that another one finds that it was never
      // taken, and sends it.
      const hanging = scripted.submit(payout.id)
      await until(async () => (await status()) === 'processing')
      await scripted.ask(payout.id, 10 * minuteMs)
      scripted.script.ask.push(notFound)
      answered.resolve(late)
      await hanging
      assert.equal(await status(), 'processing')
      scripted.script.ask = [completed]
      await scripted.ask(payout.id, 20 * minuteMs)
      assert.equal(await status(), 'completed')
    })

  it('is asked about again that somebody who was notified has sent, while its job was asking', async () => {
    scripted.script.send.push(timeOut)
    await scripted.submit(payout.id)
    const answered = Promise.withResolvers<OrderState>()
    scripted.script.ask.push(() => answered.promise, notFound)
    scripted.script.send.push(processing)
    const hanging = scripted.ask(payout.id, 10 * minuteMs)
    await until(async () => scripted.script.ask.length <= 1)
    await scripted.notify(payout.id, 10 * minuteMs)
    await scripted.forgetTimers(payout.id)
    answered.resolve(notFound)
    await hanging
    assert.deepEqual(
      (await scripted.waits(payout.id)).map(([task]) => task),
      ['payouts.ask'],
    )
    scripted.script.ask = [completed]
    await scripted.ask(payout.id, 20 * minuteMs)
    assert.equal(await status(), 'completed')
  })

  for (const outcome of ['completed', 'failed'] as const)
    it(`is ${outcome} where that was simulated while it was sent again`, async () => {
      const { decide } = scripted.rail
      scripted.script.send.push(timeOut)
      await scripted.submit(payout.id)
      scripted.rail.decide = async () => {
        scripted.script.ask.push(notFound, outcome === 'completed' ? completed : rejected)
        scripted.script.send.push(processing)
        await scripted.ask(payout.id, 10 * minuteMs)
      }
      const ended = await must(
        server.call('POST', `/payouts/${payout.reference}/simulate`, { outcome }),
      )
      scripted.rail.decide = decide
      assert.equal(ended.status, outcome)
    })

  it('is asked about in ever longer steps', async () => {
    scripted.script.send.push(timeOut)
    await scripted.submit(payout.id)
    const steps: number[] = []
    for (const afterMs of [0, 5_000, 30_000, 120_000, 600_000, 3_600_000, 73 * 3_600_000]) {
      await scripted.forgetTimers(payout.id)
      scripted.script.ask.push({ state: 'unknown', askAgainInMs: null })
      await scripted.ask(payout.id, afterMs)
      const [wait] = await scripted.waits(payout.id)
      assert.equal(wait?.[0], 'payouts.ask')
      steps.push((wait?.[1] as number) - afterMs)
    }
    assert.deepEqual(steps, [
      5_000,
      25_000,
      90_000,
      480_000,
      3_000_000,
      6 * 3_600_000,
      24 * 3_600_000,
    ])
  })
})
