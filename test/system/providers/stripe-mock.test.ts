/**
 * Goal: Stripe's own double, which knows every parameter of API v1, refuses nothing that this
 * server asks. Method: the adapter against `stripe-mock`, found by `STRIPE_MOCK` or on the path;
 * without it the test is skipped. It keeps no state, so that nothing is said of what comes of a
 * request.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import type { AccountRequest } from '../../../src/rails/ports/bank-accounts.ts'
import type { CheckoutOrder, PayoutOrder } from '../../../src/rails/ports/rail.ts'
import type { Account } from '../../../src/rails/stripe/account.ts'
import { stripeAccounts } from '../../../src/rails/stripe/accounts.ts'
import { balanceStatement } from '../../../src/rails/stripe/balance-statement.ts'
import { stripeCheckouts } from '../../../src/rails/stripe/checkouts.ts'
import { openClient } from '../../../src/rails/stripe/client.ts'
import { continuePayment, createPayment } from '../../../src/rails/stripe/deposits.ts'
import { readListV1 } from '../../../src/rails/stripe/lists.ts'
import { stripeRefunds } from '../../../src/rails/stripe/refunds.ts'
import { until } from '../../support/harness.ts'
import { freePort } from '../../support/ports.ts'
import { silent } from '../../support/treasury.ts'

const binary = process.env.STRIPE_MOCK ?? 'stripe-mock'
const lacks = spawnSync(binary, ['-version']).error !== undefined

describe('what is asked of Stripe', {
  skip: lacks && 'stripe-mock is not here: name it by STRIPE_MOCK',
}, () => {
  let mock: ChildProcess
  let front: Server
  let account: Account
  /** What is kept of a customer. */
  let known: object | null = null
  const answers: { path: string; status: number; said: string }[] = []
  before(async () => {
    const port = await freePort()
    mock = spawn(binary, ['-http-port', String(port)], { stdio: 'ignore' })
    const host = `http://127.0.0.1:${port}`
    await until(async () => (await fetch(`${host}/v1/balance`).catch(() => null)) !== null, 30_000)
    front = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      // Its description of the API is of the version before ours, which renamed this.
      const body = Buffer.concat(chunks)
        .toString()
        .replace('allowed_payment_method_types', 'payment_method_types')
      const { authorization = '', 'content-type': type = '' } = request.headers
      const given = { authorization, ...(type === '' ? {} : { 'content-type': type }) }
      const method = request.method as string
      const answer = await fetch(host + request.url, {
        method,
        headers: given,
        ...(body === '' ? {} : { body }),
      })
      const said = await answer.text()
      answers.push({ path: `${method} ${request.url}`, status: answer.status, said })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said)
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    const reach = {
      host: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      connectMs: 5_000,
      wholeMs: 15_000,
    }
    const parts = { livemode: false, clock: systemClock, log: silent }
    const client = openClient({ ...parts, reach, secretKey: 'sk_test_123' })
    account = {
      ...parts,
      name: 'stripe',
      host: 'pay.example.com',
      client,
      db: { row: async () => known } as never,
      report() {},
    }
  })
  after(() => {
    mock?.kill()
    front?.close()
  })

  it('is refused nowhere', async () => {
    const at = new Date()
    const ours = {
      id: '6b043b8d3aa79c40e3e0b7e9',
      businessId: '6b043b8d3aa79c40e3e0b7e8',
      at,
      currency: 'usd',
    } as const
    const order: CheckoutOrder = {
      ...ours,
      amount: 50_00n,
      method: 'card',
      email: 'bisi@example.com',
      name: 'Bisi',
      starts: 1,
      description: 'Two tickets',
      providerReference: null,
      expiresAt: new Date(at.getTime() + 3_600_000),
      returnUrl: 'https://pay.example.com/back',
      cancelUrl: 'https://pay.example.com/',
    }
    const checkouts = stripeCheckouts(account)
    await checkouts.start(order)
    await checkouts.start({ ...order, email: null, description: null, starts: 2 })
    await checkouts.ask({ ...order, providerReference: 'cs_test_1' })
    await checkouts.ask({ ...order, providerReference: 'pi_1' })
    const charge = { id: order.id, providerReference: 'pi_1', method: 'card' } as const
    const refunds = stripeRefunds(account)
    const back = (refund: string | null): PayoutOrder => ({
      ...ours,
      attempt: 1,
      amount: 20_00n,
      destination: { type: 'charge', charge, refund },
    })
    await refunds.send(back(null))
    await refunds.ask(back(null))
    await refunds.ask(back('re_1'))
    const whose = {
      businessId: ours.businessId,
      kind: 'static',
      currency: 'usd',
      accountName: 'Bisi',
    } as const
    const customer = {
      id: order.id,
      email: 'bisi@example.com',
      firstName: null,
      lastName: null,
      phone: null,
    }
    const accounts = stripeAccounts(account)
    const request: AccountRequest = {
      ...whose,
      id: order.id,
      customer,
      amount: null,
      expiresAt: null,
      email: null,
      providerReference: null,
      at,
    }
    // It answers with a customer of its own, which is refused here: then with one that is kept.
    await accounts.open(request)
    known = { code: 'cus_1', provider_id: 'cus_1', email: '', identified: false }
    await accounts.open(request)
    await account.client.ask({
      method: 'GET',
      path: '/v1/customers/{customer}/cash_balance_transactions/{id}',
      urgency: 'ask',
      params: { customer: 'cus_1', id: 'ccsbtxn_1' },
    })
    const movement = {
      id: 'ccsbtxn_1',
      customer: 'cus_1',
      amount: 20_00n,
      created: 1,
      sender: null,
    }
    await readListV1(
      account,
      '/v1/payment_intents',
      { customer: 'cus_1', 'created[gte]': '1' },
      'ask',
    )
    await createPayment(account, movement, 'cb-1')
    await continuePayment(account, { id: 'pi_1', status: 'requires_action' })
    await continuePayment(account, { id: 'pi_1', status: 'succeeded' })
    const within = {
      'created[gte]': '1',
      'created[lte]': '2',
      'types[0]': 'checkout.session.completed',
    }
    await readListV1(account, '/v1/events', within, 'sweep')
    const statement = balanceStatement(account)
    await statement.dispute('du_1')
    await statement.payment('pi_1')
    // It lists what is no change that this server knows, so that the balance is asked for by
    // itself.
    await statement.read(at).catch(() => {})
    await account.client.ask({ method: 'GET', path: '/v1/balance', urgency: 'ask' })
    assert.ok(answers.length >= 19, `${answers.length} were asked`)
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    )
  })
})
