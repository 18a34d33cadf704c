/**
 * Goal: however many payouts are created at once, and whoever decides at the same time, no unit
 * goes out above a limit that nobody has approved, and each payout is decided once. Method: two
 * servers on one database, and a wallet that is held until all of them wait for it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { at, type KeyHolder, keyWith } from '../../support/approvers.ts'
import { secondServer } from '../../support/batched.ts'
import {
  bankPayout,
  type Call,
  listAll,
  makeCall,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { holdWallets } from '../../support/held.ts'
import { operatorOf } from '../../support/operators.ts'
import { inFreshWorlds, runs } from '../../support/runs.ts'

describe('payouts and their limits, on two servers at once', () => {
  let server: TestServer
  let second: { url: string; stop(): Promise<void> }
  let servers: Call[]
  let manager: KeyHolder
  let approvers: KeyHolder[]

  const open = async (): Promise<void> => {
    server = await startServer({ SANDBOX_DELAY: '1h' })
    second = await secondServer(server)
    servers = [server.call, makeCall(second.url, server.testKey)]
    manager = await keyWith(server, ['manage', 'read'])
    approvers = [
      await keyWith(server, ['approve', 'read']),
      await keyWith(server, ['approve', 'read']),
    ]
    await server.fund('ngn', 1_000_000_000)
  }
  before(open)
  const close = async (): Promise<void> => {
    await second.stop()
    await server.stop()
  }
  after(close)

  const limit = (ngn: object) =>
    must(manager.call('PUT', '/limits', { currencies: [{ currency: 'ngn', ...ngn }] }))

  /**
   * Has what is asked wait for the wallet until as many transactions do, so that all of them have
   * begun before the first is decided.
   */
  async function whileHeld<T>(waiting: number, ask: () => Promise<T>): Promise<T> {
    const held = await holdWallets(server)
    const asked = ask()
    await held.waiting(waiting)
    await held.release()
    return asked
  }

  it('a quote prices one payout, though both servers are asked for one', async () => {
    const { reference: _none, ...terms } = bankPayout('', 500_000)
    const quote = (await must(server.call('POST', '/payouts/quote', terms))).id
    const answers = await whileHeld(2, () =>
      Promise.all(
        servers.map((call, i) =>
          call('POST', '/payouts', { ...bankPayout(`q-${i}`, 500_000), quote }),
        ),
      ),
    )
    assert.deepEqual(answers.map(({ status, code }) => code ?? status).sort(), [201, 'quote_used'])
  })

  it('100 payouts just below the limit of a day send no unit above it without approval', async () => {
    await limit({ approve_above: null, approve_above_daily: 10 * 100_000 + 99_999 })
    const before = (await must(manager.call('GET', '/limits'))).currencies[0].sent_today
    await limit({ approve_above_daily: before + 10 * 100_000 + 99_999 })
    const answers = await whileHeld(2, () =>
      Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (servers[i % 2] as Call)('POST', '/payouts', bankPayout(`daily-${i}`, 100_000)),
        ),
      ),
    )
    assert.ok(answers.every(({ status }) => status === 201))
    const waiting = answers.filter(({ data }) => data.approval === 'waiting')
    assert.equal(waiting.length, 90)
    assert.ok(waiting.every(({ data }) => data.approval_details.reasons.join() === 'daily_limit'))
    const { sent_today } = (await must(manager.call('GET', '/limits'))).currencies[0]
    assert.equal(sent_today, before + 10 * 100_000)
    assert.equal((await listAll(server.call, '/payouts?approval=waiting')).length, 90)
  })

  it('100 payouts just below what the operator lets out in a day send no unit above it, waiting ones with them', async () => {
    await limit({ approve_above: 150_000, approve_above_daily: null })
    const operator = await operatorOf(server)
    const set = (ngn: object) =>
      must(
        operator('PUT', `/operator/businesses/${server.businessId}/limits`, {
          currencies: [{ currency: 'ngn', ...ngn }],
        }),
      )
    const sum = async () =>
      (await listAll(server.call, '/payouts'))
        .filter(({ status }) => status !== 'canceled' && status !== 'failed')
        .reduce((all, { amount }) => all + amount, 0)
    const most = (await sum()) + 15 * 100_000 + 99_999
    await set({ max_daily: most })
    const answers = await whileHeld(2, () =>
      Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (servers[i % 2] as Call)(
            'POST',
            '/payouts',
            bankPayout(`most-${i}`, i % 3 === 0 ? 200_000 : 100_000),
          ),
        ),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    assert.ok(
      refused.length > 80 && refused.every(({ code }) => code === 'operator_limit_exceeded'),
    )
    assert.ok(answers.some(({ data }) => data?.approval === 'waiting'))
    const [left, known] = [most - (await sum()), refused.at(-1)?.body.errors.left]
    assert.ok(left >= 0 && left < 100_000, `${left} are left`)
    assert.ok(known >= left, 'who is refused is told what was left')
    await set({ max_daily: null })
  })

  it('two approvers at once: one of them approves, and one job submits', async () => {
    await limit({ approve_above: 0 })
    for (let round = 0; round < 12; round++) {
      const reference = `twice-${round}`
      await must(server.call('POST', '/payouts', bankPayout(reference, 100_000)))
      const [first, other] = approvers as [KeyHolder, KeyHolder]
      const verbs = round % 3 === 0 ? ['approve', 'refuse'] : ['approve', 'approve']
      const answers = await Promise.all([
        first.call('POST', `/payouts/${reference}/${verbs[0]}`),
        at(other, second.url)('POST', `/payouts/${reference}/${verbs[1]}`),
        ...(round % 3 === 1 ? [server.call('POST', `/payouts/${reference}/cancel`)] : []),
      ])
      const done = answers.filter(({ status }) => status === 200)
      const lost = answers.filter(({ status }) => status !== 200)
      // A payout that was approved can be canceled still.
      assert.ok(
        done.length === 1 || (round % 3 === 1 && done.length === 2),
        JSON.stringify(answers.map(({ body }) => body)),
      )
      assert.ok(
        lost.every(({ code }) => code === 'payout_not_waiting' || code === 'payout_not_cancelable'),
      )
      const { id, approval, status } = await must(server.call('GET', `/payouts/${reference}`))
      assert.ok(approval === 'approved' || (approval === 'refused' && status === 'canceled'))
      const timers = await server.app.db.query('select task from timers where subject = $1', [id])
      if (status === 'pending') assert.deepEqual(timers, [{ task: 'payouts.submit' }])
      const audit = await must(manager.call('GET', `/audit?limit=100`))
      const decisions = audit.docs.filter(
        (entry: { subject: string; action: string }) =>
          entry.subject === id && /^payout\.(approved|refused)$/.test(entry.action),
      )
      assert.ok(decisions.length <= 1, 'decided once')
    }
  })

  it('whatever is paid, canceled, failed and decided, in any order, a day sends what a simple model says', async () => {
    let round = 0
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('pay' as const),
          amount: fc.integer({ min: 5_000, max: 60_000 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constantFrom(
            'cancel' as const,
            'fail' as const,
            'approve' as const,
            'refuse' as const,
          ),
          nth: fc.nat(9),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('limit' as const),
          amount: fc.integer({ min: 0, max: 200_000 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('day' as const) }) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 25 }),
        inFreshWorlds(
          () => close().then(open, open),
          async (steps) => {
            round++
            let above = 100_000
            const read = async () => (await must(manager.call('GET', '/limits'))).currencies[0]
            await limit({ approve_above: 50_000, approve_above_daily: 0 })
            let sent: number = (await read()).sent_today
            above += sent
            await limit({ approve_above_daily: above })
            const made: {
              reference: string
              amount: number
              today: boolean
              approval: string
              status: string
            }[] = []
            for (const [i, one] of steps.entries()) {
              const call = servers[i % 2] as Call
              if (one.do === 'pay') {
                const reference = `model-${round}-${i}`
                const waits = one.amount > 50_000 || sent + one.amount > above
                const { approval } = await must(
                  call('POST', '/payouts', bankPayout(reference, one.amount)),
                )
                assert.equal(
                  approval,
                  waits ? 'waiting' : 'none',
                  JSON.stringify({ above, sent, one }),
                )
                if (!waits) sent += one.amount
                made.push({
                  reference,
                  amount: one.amount,
                  today: true,
                  approval,
                  status: 'pending',
                })
              } else if (one.do === 'limit') {
                above = sent + one.amount
                await limit({ approve_above_daily: above })
              } else if (one.do === 'day') {
                await must(manager.call('POST', '/test/clock', { advance: '24h' }))
                for (const payout of made) {
                  payout.today = false
                  if (payout.status === 'pending')
                    payout.status = payout.approval === 'waiting' ? 'canceled' : 'completed'
                }
                await until(
                  async () => (await listAll(server.call, '/payouts?status=pending')).length === 0,
                )
                sent = 0
              } else {
                const payout = made[one.nth]
                if (!payout) continue
                const path = `/payouts/${payout.reference}/`
                const open = payout.status === 'pending'
                const waits = open && payout.approval === 'waiting'
                const approver = approvers[i % 2] as KeyHolder
                const answer =
                  one.do === 'cancel'
                    ? await call('POST', `${path}cancel`)
                    : one.do === 'fail'
                      ? await call('POST', `${path}simulate`, { outcome: 'failed' })
                      : await approver.call('POST', `${path}${one.do}`)
                const may = one.do === 'cancel' ? open : one.do === 'fail' ? open && !waits : waits
                assert.equal(
                  answer.status < 300,
                  may,
                  `${one.do} ${JSON.stringify(payout)} ${JSON.stringify(answer.body)}`,
                )
                if (!may) continue
                if (one.do === 'approve') payout.approval = 'approved'
                else {
                  payout.status = one.do === 'fail' ? 'failed' : 'canceled'
                  if (payout.approval === 'none' && payout.today) sent -= payout.amount
                  if (waits) payout.approval = 'refused'
                }
              }
              assert.equal((await read()).sent_today, sent, JSON.stringify(one))
            }
            for (const { reference, status } of made)
              if (status === 'pending') await call0(reference)
          },
        ),
      ),
      { numRuns: runs(8) },
    )
    async function call0(reference: string): Promise<void> {
      await must(server.call('POST', `/payouts/${reference}/cancel`))
    }
  })
})
