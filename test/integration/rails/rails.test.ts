/**
 * Goal: with accounts at providers, a live key is served by them as the routes of `RAILS_FILE` say;
 * without them nothing is. Method: whole servers with a provider of the tests' own, asked over HTTP
 * with live and test keys.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { open } from '../../../src/app/main.ts'
import { createBusiness } from '../../../src/books/businesses/businesses.ts'
import { bookBankDeposit } from '../../../src/collecting/deposits/deposits.ts'
import { findAccount } from '../../../src/collecting/virtual-accounts/virtual-accounts.ts'
import { outside, scopeOf } from '../../../src/core/outside.ts'
import { readConfig } from '../../../src/lib/config.ts'
import { assertRefused, goodCard, type Json, newPayer, unchanged } from '../../support/actors.ts'
import { newDatabase } from '../../support/cluster.ts'
import {
  bankPayout,
  type Call,
  must,
  startServer,
  type TestServer,
  until,
} from '../../support/harness.ts'
import { railsEnv, type TestAccount, testProvider } from '../../support/provider.ts'

const key = (name: string) => ({ provider: 'testpay', secret_key: `env:${name}` })
const refused = { state: 'failed', reason: 'rejected', providerReference: null } as const

describe('a live key, where accounts serve it', () => {
  const { provider, accounts } = testProvider()
  const account = (name: string): TestAccount => accounts[name] as TestAccount
  let server: TestServer
  let live: Call
  let references = 0

  before(async () => {
    const routes = {
      'payout.ngn': ['one', 'two'],
      'lookup.ngn': ['one', 'two'],
      'account.ngn': ['two'],
      'bank_transfer.ngn': ['one'],
      'card.ngn': ['one'],
    }
    server = await startServer(
      railsEnv({ live: { accounts: { one: key('LIVE_KEY'), two: key('LIVE_KEY_2') }, routes } }),
      [provider],
    )
    live = server.callAs(server.liveKey)
    // At once: the first of them opens the books of its account.
    await Promise.all([1, 2, 3, 4, 5].map(() => fund(server, live, 20_000_000)))
  })
  after(() => server.stop())
  beforeEach(() => {
    for (const one of Object.values(accounts))
      Object.assign(one, {
        obstacle: null,
        holder: { found: true, accountName: 'Ada Okafor' },
        sent: [],
        lookups: 0,
        says: { state: 'completed', providerReference: 'there-1', txHash: null },
      })
  })

  const payOut = (call = live) =>
    must(call('POST', '/payouts', bankPayout(`live-${++references}`, 1_000_000)))
  const ended = (reference: string, call = live) =>
    until(async () => {
      const { data } = await call('GET', `/payouts/${reference}`)
      return ['completed', 'failed'].includes(data.status) && data
    })
  const railOf = async (id: string): Promise<string> =>
    (await server.app.db.query<{ rail: string }>('select rail from payouts where id = $1', [id]))[0]
      ?.rail as string

  it('pays out by the first account of the route, which the record and the books keep', async () => {
    const { id, reference } = await payOut()
    const payout = await ended(reference)
    assert.deepEqual([payout.status, payout.provider_reference], ['completed', `one-${payout.id}`])
    assert.deepEqual(
      [account('one').sent.map((order) => order.id), account('two').sent],
      [[id], []],
    )
    assert.equal(await railOf(id), 'one')
  })

  it('pays out by the next account while the first has an obstacle, and says so in the record first', async () => {
    account('one').obstacle = 'balance_too_low'
    const { id, reference } = await payOut()
    assert.equal((await ended(reference)).status, 'completed')
    assert.deepEqual([account('one').sent.length, account('two').sent.length], [0, 1])
    assert.equal(await railOf(id), 'two')
  })

  it('leaves a payout pending that no account can take, where it can be canceled', async () => {
    account('one').obstacle = 'balance_too_low'
    account('two').obstacle = 'otp_required'
    const { id, reference } = await payOut()
    await until(async () => {
      const [timer] = await server.app.db.query(
        'select 1 from timers where subject = $1 and due_at is not null',
        [id],
      )
      return timer
    })
    assert.equal((await live('GET', `/payouts/${reference}`)).data.status, 'pending')
    const told = async (): Promise<Json[]> => (await must(live('GET', `/explain/${id}`))).entries
    const why = async () => (await told()).find(({ detail }) => detail.waits_for !== undefined)
    const tooLow = (await why()) as Json
    assert.equal(
      tooLow.title,
      'The account that the payout is paid from holds too little: it waits until the operator has added money',
    )
    assert.equal((await told()).at(-1)?.title, 'The payout is to be sent to its provider')
    // It is offered again, and the reason is the same; then another.
    const offered = async (): Promise<Json> => {
      await server.app.db.query('update timers set due_at = now() where subject = $1', [id])
      await until(async () => {
        const [timer] = await server.app.db.query(
          'select 1 from timers where subject = $1 and due_at > now()',
          [id],
        )
        return timer
      })
      return (await why()) as Json
    }
    assert.equal((await offered()).at, tooLow.at)
    account('one').obstacle = 'otp_required'
    const code = await offered()
    assert.match(
      code.title,
      /asks for a code at each transfer: the payout waits until the operator has had that/,
    )
    assert.ok(code.at > tooLow.at)
    await must(live('POST', `/payouts/${reference}/cancel`))
    assert.equal(await why(), undefined)
    assert.deepEqual([account('one').sent, account('two').sent], [[], []])
  })

  it('keeps an order with its rail once it was sent, whatever becomes of the answer', async () => {
    account('one').says = { state: 'unknown', askAgainInMs: 50 }
    const { id, reference } = await payOut()
    await until(async () => account('one').sent.length > 0)
    account('one').obstacle = 'provider_down'
    account('one').says = refused
    assert.equal((await ended(reference)).status, 'failed')
    assert.equal(await railOf(id), 'one')
    assert.deepEqual([account('one').sent.length, account('two').sent.length], [1, 0])
  })

  it('is told who holds an account by the first that answers', async () => {
    const resolve = () => live('GET', '/misc/ng/resolve?bank_code=058&account_number=0123456789')
    assert.equal((await must(resolve())).account_name, 'Ada Okafor')
    assert.deepEqual([account('one').lookups, account('two').lookups], [1, 0])
    account('one').holder = { found: 'unavailable' }
    account('two').holder = { found: true, accountName: 'Ada by two' }
    assert.equal((await must(resolve())).account_name, 'Ada by two')
    account('one').holder = { found: false }
    assert.deepEqual([(await resolve()).code, account('two').lookups], ['account_not_found', 1])
    account('one').holder = { found: 'unavailable' }
    account('two').holder = { found: 'unavailable' }
    assert.equal((await resolve()).code, 'bank_lookup_unavailable')
  })

  it('has the methods of its currency, and the rail before the verified customer', async () => {
    const payment = (currency: string, more = {}) =>
      live('POST', '/payments', { amount: 1_000, currency, ...more })
    assert.deepEqual((await must(payment('ngn'))).methods, ['card', 'bank_transfer'])
    await assertRefused(server, 400, 'rail_not_configured', () => payment('usd'))
    await assertRefused(server, 400, 'rail_not_configured', () =>
      payment('usd', { methods: ['card'] }),
    )
    const { id } = await must(live('POST', '/customers', { name: 'Ada', email: 'ada@example.com' }))
    const open = (currency: string) => live('POST', '/virtual-accounts', { customer: id, currency })
    await assertRefused(server, 400, 'kyc_required', () => open('ngn'))
    await assertRefused(server, 400, 'rail_not_configured', () => open('usd'))
    const collection = (currency: string) =>
      live('POST', '/collections', { name: 'Fees', currency, amount: 500 })
    await must(collection('ngn'))
    await assertRefused(server, 400, 'rail_not_configured', () => collection('usd'))
    const toUs = { country: 'us', routing_number: '110000000', account_number: '000123456789' }
    const destination = { ...toUs, account_name: 'Ada', account_type: 'checking' }
    const payout = { ...bankPayout('to-us', 1_000_000), destination }
    await assertRefused(server, 400, 'rail_not_configured', () => live('POST', '/payouts', payout))
  })

  it('gives payers no form for a card, and takes none', async () => {
    const { checkout_url } = await must(
      live('POST', '/payments', { amount: 1_000, currency: 'ngn', methods: ['card'] }),
    )
    const path = new URL(checkout_url).pathname
    const page = await (await fetch(`${server.url}${path}?method=card`)).text()
    assert.doesNotMatch(page, /name="(number|cvc|expiry)"|\/card"/)
    const payer = newPayer({ checkout_url: `${server.url}${path}` })
    for (const [form, fields] of [
      ['card', goodCard],
      ['challenge', { answer: 'approve' }],
    ] as const)
      assert.equal((await unchanged(server, () => payer.send(form, fields))).status, 404, form)
  })

  it('has no rail for tokens by them: networks are connected apart', async () => {
    const body = {
      amount: 5_000,
      currency: 'usd',
      method: 'crypto',
      destination: { currency: 'usdc', chain: 'base' },
    }
    await assertRefused(server, 400, 'rail_not_configured', () =>
      live('POST', '/payouts/quote', body),
    )
  })

  it('leaves test keys to the sandbox', async () => {
    await server.fund('ngn', 5_000_000)
    const { reference } = await payOut(server.call)
    assert.equal((await ended(reference, server.call)).status, 'completed')
    const resolved = await must(
      server.call('GET', '/misc/ng/resolve?bank_code=058&account_number=0123456789'),
    )
    assert.notEqual(resolved.account_name, 'Ada Okafor')
    for (const one of Object.values(accounts)) assert.deepEqual([one.sent, one.lookups], [[], 0])
  })
})

/** Has live money come to the wallet: an account is opened, and its bank notifies of a transfer. */
async function fund(server: TestServer, live: Call, amount: number): Promise<void> {
  const opened = await must(
    live('POST', '/virtual-accounts', { kind: 'dynamic', currency: 'ngn', amount }),
  )
  const [row] = await server.app.db.query<{ business_id: string }>(
    'select business_id from virtual_accounts where id = $1',
    [opened.id],
  )
  const ctx = outside(server.app, await scopeOf(server.app, row?.business_id as string, true))
  const found = await findAccount(ctx, opened.id)
  const notice = { rail: found.rail, notice: opened.id, amount: BigInt(amount), source: null }
  await bookBankDeposit(ctx, found, notice)
}

describe('accounts of businesses', () => {
  it('serve them before those of every business, and keep their money; anybody may be asked for a name', async (t) => {
    const { provider, accounts } = testProvider()
    const other = testProvider('otherpay')
    // Its id is known only once it is there.
    const database = await newDatabase()
    const opened = await open(
      readConfig({ DATABASE_URL: database.url, SECRETS_KEY: 'ab'.repeat(32) }),
      'api',
    )
    const acme = await createBusiness(opened.app, 'Acme')
    await opened.close()
    const env = railsEnv({
      live: {
        accounts: {
          shared: key('LIVE_KEY'),
          acme: { ...key('LIVE_KEY_2'), serves: [acme.business.id] },
        },
        routes: {
          'payout.ngn': ['shared', 'acme'],
          'lookup.ngn': ['shared', 'acme'],
          'account.ngn': ['shared', 'acme'],
        },
      },
    })
    const server = await startServer({ ...env, DATABASE_URL: database.url }, [
      provider,
      other.provider,
    ])
    t.after(() => server.stop().then(database.drop))
    const acmes = server.callAs(acme.live_key)
    const theirs = server.callAs(server.liveKey)
    const by = async (call: Call, reference: string) => {
      await fund(server, call, 10_000_000)
      const { id } = await must(call('POST', '/payouts', bankPayout(reference, 1_000_000)))
      await until(
        async () => (await call('GET', `/payouts/${reference}`)).data.status === 'completed',
      )
      return Object.keys(accounts).filter((name) =>
        accounts[name]?.sent.some((order) => order.id === id),
      )
    }
    assert.deepEqual(await by(acmes, 'acme-1'), ['acme'])
    assert.deepEqual(await by(theirs, 'their-1'), ['shared'])
    // What is paid out elsewhere is someone else's money.
    ;(accounts.acme as TestAccount).obstacle = 'balance_too_low'
    const waits = await must(acmes('POST', '/payouts', bankPayout('acme-2', 1_000_000)))
    await until(async () => {
      const [timer] = await server.app.db.query(
        'select 1 from timers where subject = $1 and due_at is not null',
        [waits.id],
      )
      return timer
    })
    assert.equal((await acmes('GET', '/payouts/acme-2')).data.status, 'pending')
    ;(accounts.acme as TestAccount).holder = { found: 'unavailable' }
    const name = await must(
      acmes('GET', '/misc/ng/resolve?bank_code=058&account_number=0123456789'),
    )
    assert.equal(name.account_name, 'Ada by shared')
  })
})

describe('test keys, where accounts serve test mode', () => {
  it('go to them by the routes that are named, and to the sandbox for the rest', async (t) => {
    const { provider, accounts } = testProvider()
    const mine = { provider: 'testpay', secret_key: 'env:TEST_KEY' }
    const routes = { 'payout.ngn': ['mine'], 'card.ngn': ['mine'], 'account.ngn': ['mine'] }
    const env = railsEnv({ test: { accounts: { mine }, routes } })
    const server = await startServer({ ...env, BASE_URL: '' }, [provider])
    t.after(() => server.stop())
    await server.fund('ngn', 10_000_000)
    await must(server.call('POST', '/payouts', bankPayout('mine-1', 1_000_000)))
    await until(
      async () => (await server.call('GET', '/payouts/mine-1')).data.status === 'completed',
    )
    const account = accounts.mine as TestAccount
    assert.deepEqual([account.sent.length, account.lookups], [1, 0])
    account.says = { state: 'processing', providerReference: null, askAgainInMs: null }
    await must(server.call('POST', '/payouts', bankPayout('mine-2', 1_000_000)))
    await until(
      async () => (await server.call('GET', '/payouts/mine-2')).data.status === 'processing',
    )
    const simulated = await server.call('POST', '/payouts/mine-2/simulate', {
      outcome: 'completed',
    })
    assert.deepEqual([simulated.status, simulated.code], [400, 'payout_not_simulated'])
    const opened = await must(
      server.call('POST', '/virtual-accounts', { kind: 'dynamic', currency: 'ngn', amount: 5_000 }),
    )
    const deposit = await server.call('POST', `/virtual-accounts/${opened.id}/simulate-deposit`, {})
    assert.deepEqual([deposit.status, deposit.code], [400, 'deposit_not_simulated'])
    // Cards in dollars stay with the sandbox; what it takes goes back by it.
    for (const [currency, status] of [
      ['ngn', 404],
      ['usd', 303],
    ] as const) {
      const payment = await must(server.call('POST', '/payments', { amount: 5_000, currency }))
      const payer = newPayer(payment)
      await payer.open('?method=card')
      assert.equal((await payer.send('card', goodCard)).status, status, currency)
      if (currency === 'ngn') continue
      const { id } = await must(
        server.call('POST', '/refunds', { payment: payment.id, amount: 1_000 }),
      )
      await until(
        async () => (await server.call('GET', `/refunds/${id}`)).data.status === 'completed',
      )
    }
    assert.equal(account.sent.length, 2)
  })
})

describe('numbers of cards', () => {
  it('are known to those alone that serve test keys', () => {
    const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.test)\.ts$/.test(file),
    )
    const importing = files.filter((file) =>
      [...readFileSync(`src/${file}`, 'utf8').matchAll(/from '(\.[^']+)'/g)].some(
        ([, target = '']) => join(dirname(file), target) === 'rails/ports/cards.ts',
      ),
    )
    // `choice.ts` gives the sandbox's, and refuses a live key; `routes.ts` names the sandbox's
    // account.
    assert.deepEqual(importing.sort(), [
      'collecting/payments/cards.ts',
      'rails/accounts/choice.ts',
      'rails/ports/routes.ts',
      'rails/sandbox/cards.ts',
      'web/checkout/forms.ts',
    ])
  })
})
