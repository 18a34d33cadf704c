/**
 * Goal: who upgrades loses nothing. Method: the database of an earlier release after a day of business (`test/support/upgrade/make.ts`), on which
 * this server starts when that one has stopped.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { open, serve, verifyBooks } from '../../../src/edge/main.ts'
import { manualClock } from '../../../src/lib/clock.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { newDatabase } from '../../support/cluster.ts'
import { assertMonthsTie, monthsBetween } from '../../support/exported-months.ts'
import { bankPayout, type Call, type Json, listAll, makeCall, must, until } from '../../support/harness.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { readFixture, releases, restoreFixture, secretsKey } from '../../support/upgrade/fixture.ts'

const hourMs = 3_600_000

for (const release of releases)
  describe(`an upgrade from ${release}`, () => {
    const fixture = readFixture(release)
    const clock = manualClock(new Date(fixture.at))
    let database: Awaited<ReturnType<typeof newDatabase>>
    let receiver: Receiver
    let opened: Awaited<ReturnType<typeof open>>
    let running: Awaited<ReturnType<typeof serve>>
    let call: Call

    before(async () => {
      database = await newDatabase('template1')
      await restoreFixture(fixture, database)
      receiver = await startReceiver()
      const config = readConfig({
        ...{ PORT: '0', DATABASE_URL: database.url, MIGRATE_DATABASE_URL: database.ownerUrl, SECRETS_KEY: secretsKey },
        ...{ RATE_LIMIT_MAX: '0', SANDBOX_DELAY: '0s', LOG_LEVEL: 'fatal' },
        ...{ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true', WEBHOOK_CA_FILE: receiver.caFile },
      })
      opened = await open(config, 'all', clock)
      running = await serve(opened)
      call = makeCall(running.url, fixture.testKey)
    })
    after(async () => {
      await running.stop()
      await opened.close()
      await receiver.stop()
      await database.drop()
    })

    it('has clean books, and answers its keys with the records as they were', async () => {
      assert.deepEqual((await verifyBooks(opened.app)).differences, [])
      for (const [path, answer] of Object.entries(fixture.answers))
        assertKept(await must(call('GET', path)), answer, path)
    })

    it('exports what became final in its months, which comes to their statements', async () => {
      const [{ created_at: first }] = (await listAll(call, '/transactions')).slice(-1) as [Json]
      const months = monthsBetween(first.slice(0, 7), fixture.at.slice(0, 7))
      const lines = (await assertMonthsTie(call, months)).flatMap((month) => month.lines)
      const completed = await listAll(call, '/transactions?status=completed')
      assert.deepEqual(new Set(lines.map(({ id }) => id)), new Set(completed.map(({ id }) => id)))
    })

    it('gives the answer again that is kept under an Idempotency-Key', async () => {
      const { path, body, key, answer } = fixture.asked
      const again = await call('POST', path, body, { 'idempotency-key': key })
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.deepEqual(again.data, answer)
      const other = await call('POST', path, { ...body, amount: 1 }, { 'idempotency-key': key })
      assert.equal(other.status, 409)
    })

    it('sends what waited to the endpoints that there were, signed by their secrets', async () => {
      const { id, secret } = fixture.webhook
      await must(call('PUT', `/webhooks/${id}`, { url: `${receiver.url}/hooks` }))
      clock.advance(hourMs)
      await until(async () => receiver.requests.length > 0, 60_000)
      for (const { headers, body } of receiver.requests)
        assert.equal(headers['x-signature'], `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
      const waiting = await must(call('GET', `/webhooks/events?status=pending&webhook_id=${id}&limit=100`))
      assert.ok(Array.isArray(waiting.docs))
    })

    it('ends what was under way, and goes on', async () => {
      clock.advance(2 * hourMs)
      await until(async () => (await must(call('GET', '/payouts/under-way'))).status === 'completed', 60_000)
      const payment = fixture.asked.answer.id
      await must(call('POST', `/payments/${payment}/simulate`, { outcome: 'completed' }))
      await must(call('POST', '/refunds', { payment }))
      await must(call('POST', '/payouts', bankPayout('after-the-upgrade', 10_000)))
      assert.deepEqual((await verifyBooks(opened.app)).differences, [])
    })
  })

const withoutPort = (text: string): string => text.replace(/^http:\/\/localhost:\d+/, '')

/** Fails unless all that was answered still is; there may be more. */
function assertKept(now: Json, then: Json, at: string): void {
  if (then !== null && typeof then === 'object') {
    if (Array.isArray(then)) assert.equal(now?.length, then.length, at)
    for (const [name, value] of Object.entries(then)) assertKept(now?.[name], value, `${at} ${name}`)
  } else if (typeof then === 'string') {
    // Codes are lower-case everywhere by now.
    const kept = at.endsWith(' country') ? then.toLowerCase() : then
    assert.equal(withoutPort(String(now)), withoutPort(kept), at)
  } else assert.equal(now, then, at)
}
