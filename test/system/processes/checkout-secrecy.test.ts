import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { newClient } from '../../../src/db/db.ts'
import { testCards } from '../../../src/rails/sandbox/cards.ts'
import { must, newPayer } from '../../support/actors.ts'
import { newDatabase } from '../../support/cluster.ts'
import { openBeside, serve } from '../../support/commands.ts'
import { makeCall, until } from '../../support/harness.ts'

describe('a card’s number and code', () => {
  it('are in no table and in no line of the log', async () => {
    const database = await newDatabase()
    const env = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'cd'.repeat(32),
      RATE_LIMIT_MAX: '0',
      SANDBOX_DELAY: '0s',
      LOG_LEVEL: 'trace',
      PORT: '0',
    }
    const beside = await openBeside(env)
    const { test_key: key } = await createBusiness(beside.app, 'Quiet')
    await beside.close()
    const { child, url, output, ended } = await serve(env)
    const call = makeCall(url, key)
    // Every card and way there is, also with what goes wrong: the same code each time, to look for.
    // Numbers do not begin with a zero, and what follows a point is a part of a second.
    const cvc = '093'
    const shown = `(?<![0-9a-z.])${cvc}(?![0-9a-z])`
    const numbers = [...Object.keys(testCards), '4111111111111111', '4242424242424241']
    for (const number of numbers) {
      const payment = await must(call('POST', '/payments', { amount: 1_000_000, currency: 'ngn' }))
      const payer = newPayer(payment)
      await payer.post('card', { number, expiry: '12/34', cvc })
      await payer.send('card', { number, expiry: '12/34', cvc })
      await payer.send('card', { number, expiry: '12/34', cvc, token: 'x' })
      await payer.open(`?method=card`)
      await payer.send('challenge', { answer: 'approve', number, cvc })
      await fetch(`${payment.checkout_url}/card`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ number, cvc }),
      }).then((response) => response.text())
      await fetch(`${payment.checkout_url}/card`, {
        method: 'POST',
        body: new URLSearchParams({ number, cvc, more: 'x'.repeat(20_000) }),
      }).then((response) => response.text())
    }
    const client = newClient(database.superuserUrl)
    await client.connect()
    await until(async () => {
      const { rows } = await client.query(
        `select from payment_attempts where status = 'processing'`,
      )
      return rows.length === 0
    })

    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    assert.ok(tables.length > 25)
    /**
     * The tables in whose rows a text is found, or its bytes in a `bytea`. The digits of these are
     * no text: sealed postings have zeros enough for a card of zeros, where this takes longer than
     * a minute.
     */
    const holding = async (pattern: string, bytes = pattern): Promise<string[]> => {
      const found = []
      for (const { name } of tables) {
        const { rows } = await client.query(
          `select from ${name} as t
            where regexp_replace(t::text, '\\\\+x[0-9a-f]+', '', 'g') ~ $1 or t::text ~ $2 limit 1`,
          [pattern, bytes],
        )
        if (rows.length > 0) found.push(name)
      }
      return found
    }
    // What is kept of a card is found, so that a number would be.
    assert.deepEqual((await holding('\\m4242\\M')).sort(), [
      'public.payment_attempts',
      'public.transactions',
    ])
    const log = output()
    assert.match(log, /\/pay\/:slug\/card/)
    for (const number of numbers)
      for (const text of [number, number.slice(0, -4), number.slice(0, 10)]) {
        const bytes = Buffer.from(text).toString('hex')
        assert.deepEqual(await holding(text, bytes), [], text)
        assert.ok(!log.includes(text) && !log.includes(bytes), text)
      }
    assert.deepEqual(await holding(shown), [])
    assert.doesNotMatch(log, new RegExp(shown))
    assert.ok(!log.includes('12/34') && !log.includes('12%2F34'))

    await client.end()
    child.kill('SIGTERM')
    await ended
    await database.drop()
  })
})
