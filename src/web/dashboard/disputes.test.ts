/**
 * Goal: a person answers a dispute from its page, without scripts, and sees how much time is left.
 * Method: the pages over HTTP with simulated disputes, whose clock is the test clock.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { shown, signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { type Json, must, startServer, type TestServer } from '../../../test/support/harness.ts'
import { timeLeft } from './deadline.ts'

describe('the page of a dispute', () => {
  let server: TestServer
  let owner: Visitor
  before(async () => {
    server = await startServer()
    owner = await signedIn(server)
  })
  after(() => server.stop())

  const dispute = async (): Promise<Json> => {
    const { id } = await must(
      server.call('POST', '/payments', { amount: 500_000, currency: 'ngn' }),
    )
    await must(server.call('POST', `/payments/${id}/simulate`, { outcome: 'completed' }))
    return must(server.call('POST', `/payments/${id}/simulate-dispute`, {}))
  }

  it('counts the days and hours to its deadline down, by the test clock', async () => {
    const { id } = await dispute()
    const pages = [`/disputes/${id}`, '/disputes', '']
    const says = async (left: RegExp) => {
      for (const path of pages) assert.match(await shown(owner.get(path)), left)
    }
    await says(/\(6 days left\)/)
    await must(server.call('POST', '/test/clock', { advance: '6d' }))
    await says(/\(23 hours left\)/)
    await must(server.call('POST', '/test/clock', { advance: '2d' }))
    await says(/\(its time is over\)/)
  })
})

describe('the time that is left', () => {
  it('is said in the largest unit of which there are two', () => {
    const now = new Date('2026-11-30T00:00:00Z')
    for (const [until, said] of [
      ['2026-12-02T00:00:00Z', '2 days left'],
      ['2026-12-01T23:59:00Z', '47 hours left'],
      ['2026-11-30T01:59:00Z', '119 minutes left'],
      ['2026-11-30T00:00:30Z', '1 minute left'],
      ['2026-11-30T00:00:00Z', 'its time is over'],
    ] as const)
      assert.equal(timeLeft(now, new Date(until)), said)
  })
})
