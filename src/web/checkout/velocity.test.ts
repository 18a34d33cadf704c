/**
 * Goal: whoever tries cards out on hosted pages is turned away in words that a payer understands,
 * before any charge, and it is counted. Method: cards posted to pages of test mode, one after the
 * other and at once; windows that are ended by hand.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { cards, goodCard, type Json, newMerchant, newPayer } from '../../../test/support/actors.ts'
import { must, startServer, type TestServer } from '../../../test/support/harness.ts'

describe('cards that are tried out on hosted pages', () => {
  const servers: TestServer[] = []
  after(() => Promise.all(servers.map((server) => server.stop())))
  async function start(env: Record<string, string>) {
    const server = await startServer(env)
    servers.push(server)
    const merchant = newMerchant(server)
    const tryCard = async (
      number: string = goodCard.number,
    ): Promise<{ status: number; payment: Json }> => {
      const payment = await merchant.openPayment()
      const { status } = await newPayer(payment).post('card', { ...goodCard, number })
      return { status, payment: await merchant.readPayment(payment) }
    }
    const fired = async (rule: string): Promise<number> => {
      const { rules } = await must(server.call('GET', '/limits/rules'))
      return rules.find((one: Json) => one.rule === rule).today
    }
    const endWindow = () =>
      server.app.db.query("update rate_limits set resets_at = now() - interval '1 second'")
    return { server, merchant, tryCard, fired, endWindow }
  }

  it('are so many in a window, on all pages, however many come at once', async () => {
    const { server, merchant, tryCard, fired, endWindow } = await start({ CARD_TRIES_MAX: '4' })
    const tried = await Promise.all(Array.from({ length: 7 }, () => tryCard()))
    assert.deepEqual(tried.map(({ status }) => status).sort(), [303, 303, 303, 303, 429, 429, 429])
    for (const { status, payment } of tried)
      assert.deepEqual(
        [payment.status, payment.attempts],
        status === 303 ? ['completed', 1] : ['pending', 0],
      )
    assert.deepEqual([await fired('card_tries'), await fired('card_declines')], [3, 0])
    const payment = await merchant.openPayment()
    const { text } = await newPayer(payment).post('card', goodCard)
    assert.match(text, /Too many attempts.*Nothing was charged by this try/s)
    const rows = await server.app.db.query<{ key: string }>(
      "select key from rate_limits where key like 'card%'",
    )
    assert.ok(rows.length > 0 && rows.every(({ key }) => !key.includes('127.0.0.1')))
    await endWindow()
    assert.equal((await tryCard()).status, 303)
  })

  it('are turned away once so many were declined in a row, and not where one was taken between', async () => {
    const { tryCard, fired, endWindow } = await start({ CARD_DECLINES_MAX: '3' })
    const statuses = async (...numbers: (string | undefined)[]): Promise<number[]> => {
      const found: number[] = []
      for (const number of numbers) found.push((await tryCard(number)).status)
      return found
    }
    const no = cards.declined
    assert.deepEqual(await statuses(no, no, undefined, no, no, no), [303, 303, 303, 303, 303, 303])
    assert.deepEqual(await statuses(undefined, no), [429, 429])
    assert.deepEqual([await fired('card_tries'), await fired('card_declines')], [0, 2])
    await endWindow()
    assert.deepEqual(await statuses(undefined), [303])
  })
})
