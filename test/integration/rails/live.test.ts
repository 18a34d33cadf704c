/**
 * Goal: docs/live.md names, operation by operation, what a live key can and cannot do on a server
 * without rails, and what brings it. Method: each row of its tables is asked with a live key,
 * without routes and with those that it names; the last table is held against the routes of the
 * API.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { modules } from '../../../src/app/modules.ts'
import type { RouteName } from '../../../src/rails/ports/routes.ts'
import { address, unchanged } from '../../support/actors.ts'
import {
  type Answer,
  bankPayout,
  must,
  startServer,
  type TestServer,
} from '../../support/harness.ts'
import { railsEnv, testProvider } from '../../support/provider.ts'

const guide = readFileSync('docs/live.md', 'utf8')

/** The operations of the table under a heading, with the words that follow them. */
function operationsUnder(heading: string): string[] {
  const part = guide.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...part.matchAll(/^\| `([A-Z]+ [^`]+)`([^|]*)\|/gm)].map(
    ([, name, which]) => `${name}${which?.trimEnd()}`,
  )
}

describe('a live key on a server without rails', () => {
  let server: TestServer
  let asks: Record<string, [method: string, path: string, body?: object]>
  const ask = (operation: string): Promise<Answer> => {
    const [method, path, body] =
      asks[operation] ?? assert.fail(`the test does not ask for ${operation}`)
    return server.callAs(server.liveKey)(method, path, body)
  }

  before(async () => {
    const accounts = { one: { provider: 'testpay', secret_key: 'env:LIVE_KEY' } }
    server = await startServer(railsEnv({ live: { accounts, routes: {} } }), [
      testProvider().provider,
    ])
    const live = server.callAs(server.liveKey)
    const ada = { name: 'Ada', email: 'ada@example.com' }
    const bread = { name: 'Bread', amount: 500, currency: 'ngn' }
    const customer = (await must(live('POST', '/customers', ada))).id
    const invoice = {
      customer,
      lines: [{ product: (await must(live('POST', '/products', bread))).id, quantity: 1 }],
    }
    const draft = (await must(live('POST', '/invoices', invoice))).id
    const payment = { amount: 1_000, currency: 'ngn', email: ada.email }
    const { reference: _none, ...toBank } = bankPayout('', 1_000_000)
    const destination = { currency: 'usdc', chain: 'base', address }
    const tokens = { amount: 1_000, currency: 'usd', method: 'crypto', destination }
    asks = {
      'POST /payments': ['POST', '/payments', payment],
      'POST /payments with `card`': ['POST', '/payments', { ...payment, methods: ['card'] }],
      'POST /payments with `bank_transfer`': [
        'POST',
        '/payments',
        { ...payment, methods: ['bank_transfer'] },
      ],
      'POST /payments with `crypto`': ['POST', '/payments', { ...payment, methods: ['crypto'] }],
      'POST /invoices/{id}/finalize': ['POST', `/invoices/${draft}/finalize`],
      'POST /virtual-accounts': ['POST', '/virtual-accounts', { customer, currency: 'ngn' }],
      'POST /crypto/wallets': ['POST', '/crypto/wallets', {}],
      'POST /customers/{id}/documents': [
        'POST',
        `/customers/${customer}/documents`,
        { id_type: 'bvn', id_number: '22222222222' },
      ],
      'GET /misc/{country}/resolve': [
        'GET',
        '/misc/ng/resolve?bank_code=058&account_number=0123456789',
      ],
      'POST /payouts/quote to a bank': ['POST', '/payouts/quote', toBank],
      'POST /payouts to a bank': ['POST', '/payouts', { ...toBank, reference: 'bank-1' }],
      'POST /payouts/quote of stablecoins': ['POST', '/payouts/quote', tokens],
      'POST /payouts of stablecoins': ['POST', '/payouts', { ...tokens, reference: 'tokens-1' }],
      'POST /customers': ['POST', '/customers', ada],
      'POST /products': ['POST', '/products', bread],
      'POST /collections': ['POST', '/collections', { name: 'Fees', currency: 'ngn', amount: 500 }],
      'POST /distributions': [
        'POST',
        '/distributions',
        { name: 'Half', currency: 'ngn', shares: [{ name: 'Bello', percentage_bps: 5_000 }] },
      ],
      'POST /invoices': ['POST', '/invoices', invoice],
      'POST /webhooks': ['POST', '/webhooks', { url: 'https://8.8.8.8/hook' }],
      'GET /wallets': ['GET', '/wallets'],
      'GET /misc/{country}/banks': ['GET', '/misc/ng/banks'],
      'GET /crypto/tokens': ['GET', '/crypto/tokens'],
      'GET /transactions': ['GET', '/transactions'],
      'PUT /business': ['PUT', '/business', { name: 'Live Business' }],
    }
  })
  after(() => server.stop())

  it('is refused what needs a rail, and nothing has moved', async () => {
    const operations = operationsUnder('What needs a rail')
    assert.equal(operations.length, 14)
    for (const operation of operations) {
      const { status, code, body } = await unchanged(server, () => ask(operation))
      assert.deepEqual(
        [status, code],
        [400, 'rail_not_configured'],
        `${operation}: ${JSON.stringify(body)}`,
      )
    }
  })

  it('can do it by the routes that are named, and by no others', async () => {
    const { live } = server.app.rails
    const rows = [...guide.matchAll(/^\| `([A-Z]+ [^`]+)`([^|]*)\| (.*) \|$/gm)]
    const named = rows.map(([, name, which, by = '']) => ({
      operation: `${name}${which?.trimEnd()}`,
      routes: [...by.matchAll(/`(\w+\.ngn)`(?! is)/g)].map(([, route]) => route as RouteName),
    }))
    let asked = 0
    for (const { operation, routes } of named.filter((one) => one.routes.length > 0)) {
      for (const missing of [...routes, null]) {
        Object.assign(live.routes, Object.fromEntries(routes.map((route) => [route, ['one']])))
        if (missing) delete live.routes[missing]
        const { code, body } = await ask(operation)
        const said = `${operation} without ${missing}: ${JSON.stringify(body)}`
        if (missing) assert.equal(code, 'rail_not_configured', said)
        else
          assert.ok(
            code === undefined || code === 'kyc_required' || code === 'insufficient_funds',
            said,
          )
        for (const route of routes) delete live.routes[route]
        asked++
      }
    }
    assert.ok(asked >= 12, `${asked} were asked`)
  })

  it('can do what needs none', async () => {
    const operations = operationsUnder('What needs none')
    assert.equal(operations.length, 10)
    for (const operation of operations) await must(ask(operation))
  })

  it('is refused what is for test keys', async () => {
    const routes = modules
      .flatMap((module) => Object.values(module.routes ?? {}))
      .filter((route) => route.mode === 'test')
    assert.deepEqual(
      operationsUnder('What is for test keys only').sort(),
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    )
    for (const { method, path } of routes) {
      const at = path.replace(/\{\w+\}/g, '0'.repeat(24))
      const { status, code } = await server.callAs(server.liveKey)(
        method,
        at,
        method === 'GET' ? undefined : {},
      )
      assert.deepEqual([status, code], [403, 'test_mode_only'], `${method} ${path}`)
    }
  })
})
