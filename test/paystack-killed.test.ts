/**
 * Goal: a server that is killed at any point between "written" and "answered" pays each payout once, and ends it.
 * Method: a server in a process of its own, over a double that keeps one answer back; it is killed while it waits, and started again.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { bankPayout, listAll, makeCall, must, until } from './harness.ts'
import { minuteMs, openTill } from './paystack.ts'

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

async function start(given: object): Promise<{ child: ChildProcess; url: string }> {
  const script = new URL('paystack-killed.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, JSON.stringify(given)], { env: { ...process.env } })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const url = await until(async () => {
    assert.equal(child.exitCode, null, said)
    return /listening on (\S+)/.exec(said)?.[1]
  }, 30_000)
  return { child, url }
}

const kill = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })

/** Where it is killed: while the answer of an operation is kept back, that was done or was not. */
const points = [
  ['balance', 'timeout_before', 'it is written, and nothing was asked'],
  ['create_recipient', 'timeout_before', 'a recipient was asked for, and not made'],
  ['create_recipient', 'timeout_after', 'a recipient was made, and is not known'],
  ['transfer', 'timeout_before', 'the transfer was sent, and not taken'],
  ['transfer', 'timeout_after', 'the transfer was taken, and not answered'],
  ['verify_transfer', 'timeout_after', 'the transfer was answered, and is asked about'],
] as const

describe('a server that is killed while it pays by Paystack', () => {
  for (const [operation, fault, when] of points)
    it(`pays once: ${when}`, async (t) => {
      const till = await openTill()
      t.after(() => till.stop())
      const { double } = till
      const { env } = till
      await till.server.leave()
      let served = await start({ env, host: double.url, aheadMs: 0 })
      await double.fault(operation, fault)
      const call = (url: string) => makeCall(url, till.server.liveKey)
      const { id, reference } = await must(call(served.url)('POST', '/payouts', bankPayout('killed-1', 1_000_000)))
      await until(async () => double.requests.some((one) => one.operation === operation && one.fault === fault), 30_000)
      await kill(served.child)
      await double.clearFaults()

      const payout = async () => (await must(call(served.url)('GET', `/payouts/${reference}`))).status
      let aheadMs = 0
      for (let start_ = 0; start_ < 4; start_++) {
        aheadMs += 12 * minuteMs
        served = await start({ env, host: double.url, aheadMs })
        const ended = await until(async () => {
          for (const transfer of till.transfersOf(id))
            if (transfer.status === 'pending') double.live.transfer.succeed(transfer.reference)
          return (await payout()) === 'completed'
        }, 6_000).catch(() => false)
        if (ended) break
        await kill(served.child)
      }
      assert.equal(await payout(), 'completed')
      assert.deepEqual(
        till.transfersOf(id).map(({ status }) => status),
        ['success'],
      )
      const events = (await listAll(call(served.url), '/events')) as unknown as {
        type: string
        payload: { id: string }
      }[]
      assert.deepEqual(events.flatMap(({ type, payload }) => (payload.id === id ? [type] : [])).sort(), [
        'payout.completed',
        'payout.initiated',
      ])
      await kill(served.child)
      await till.assertSound()
    })
})
