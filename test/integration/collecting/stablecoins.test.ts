/**
 * Stablecoins from end to end: a server, its workers, and a real node that speaks JSON-RPC.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newClient } from '../../../src/db/db.ts'
import { newId } from '../../../src/lib/ids.ts'
import { holdOutgoing, releaseOutgoing } from '../../../src/rails/records/outgoing.ts'
import { type Json, type Merchant, newMerchant } from '../../support/actors.ts'
import { type LocalNetwork, startNetwork } from '../../support/evm.ts'
import { ctxOf, must, startServer, type TestServer, until } from '../../support/harness.ts'

let network: LocalNetwork
let server: TestServer
let merchant: Merchant

before(async () => {
  network = await startNetwork()
  server = await startServer({ ...network.env, METRICS_TOKEN: 'scrape-me-if-you-can' })
  merchant = newMerchant(server)
  await until(async () => (await watched()) !== null)
})
after(async () => {
  await server?.stop()
  await network?.stop()
})

/** How far the network has been read. */
async function watched(): Promise<bigint | null> {
  const [row] = await server.app.db.query<{ block_number: bigint }>(
    `select block_number from evm_networks`,
  )
  return row?.block_number ?? null
}

/** The timeline of a record. */
const toldOf = async (id: string): Promise<Json[]> =>
  (await must(server.call('GET', `/explain/${id}`))).entries

/** Waits until everything on the chain has been read. */
async function read(): Promise<void> {
  const tip = await network.node.node.getBlockNumber()
  await until(async () => ((await watched()) ?? -1n) >= tip)
}

describe('a deposit on a chain', () => {
  it('is shown pending at first sight, and credited once at its depth', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    assert.ok([0, 1, 2, 3, 4, 5].some((index) => network.wallet.deposit(index).address === address))
    const before = await merchant.available('usd')
    const hash = await network.node.transfer(network.usdc, 1, address, 12_345_678n)
    await read()
    const [seen] = await until(async () =>
      (await merchant.cryptoDepositsOf(id)).length > 0 ? merchant.cryptoDepositsOf(id) : null,
    )
    assert.deepEqual(
      [
        seen.status,
        seen.amount,
        seen.units,
        seen.tx_hash,
        seen.network,
        seen.confirmations,
        seen.confirmations_needed,
      ],
      ['pending', 1234, '12345678', hash, 'anvil', 0, network.confirmations],
    )
    const { title, at } = (await toldOf(seen.id)).find((one: Json) =>
      one.title.includes('waits for'),
    ) as Json
    assert.deepEqual(
      [title, at],
      [
        `The transfer waits for ${network.confirmations} blocks on top of it on the network`,
        seen.created_at,
      ],
    )
    const pending = await merchant.verify(seen.transaction)
    assert.deepEqual(
      [pending.status, pending.amount, pending.currency, pending.method, pending.related],
      ['pending', 1234, 'usd', 'crypto', { crypto_wallet: id }],
    )
    await network.node.mine(network.confirmations - 1)
    await read()
    assert.equal((await merchant.cryptoDepositsOf(id))[0].status, 'pending')
    assert.equal(await merchant.available('usd'), before)
    await network.node.mine(1)
    await until(async () => (await merchant.cryptoDepositsOf(id))[0].status === 'credited')
    assert.equal(await merchant.available('usd'), before + 1234)
    const { data } = await server.call('GET', `/transactions/${seen.transaction}/verify`)
    assert.deepEqual([data.status, data.balance_after], ['completed', before + 1234])
    const sender = network.node.account(1).address
    assert.deepEqual(data.source, {
      currency: 'usdc',
      chain: 'anvil',
      address: sender,
      tx_hash: hash,
    })
    const events = (await server.call('GET', '/events?type=crypto.deposit')).data
    assert.deepEqual([events.totalDocs, events.docs[0].payload], [1, data])
  })

  it('of eighteen decimals keeps what is less than a cent, and the rests become cents', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    const before = await merchant.available('usd')
    for (const units of [
      1_009_999_999_999_999_999n,
      2_019_000_000_000_000_001n,
      4_000_000_000_000_000n,
    ])
      await network.node.transfer(network.usdt, 1, address, units)
    await network.node.mine(network.confirmations)
    await until(async () => {
      const all = await merchant.cryptoDepositsOf(id)
      return all.length === 3 && all.every((one: { status: string }) => one.status === 'credited')
    })
    assert.equal(await merchant.available('usd'), before + 100 + 201)
    const rests = await server.app.db.query<{ currency: string; balance: bigint }>(
      `select currency, balance from ledger_accounts where purpose = 'dust' and currency like 'usdt%' order by currency`,
    )
    // 0.009999999999999999 + 0.009000000000000001 + 0.004 = 0.023
    assert.deepEqual(rests, [
      { currency: 'usdt', balance: 2n },
      { currency: 'usdt/18', balance: 3_000_000_000_000_000n },
    ])
    const least = (await merchant.cryptoDepositsOf(id))[0]
    assert.deepEqual([least.amount, least.transaction], [0, null])
  })

  it('is dropped when its block is gone, and lives again when it is mined again', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    const before = await merchant.available('usd')
    const raw = await network.node.signTransfer(network.usdc, 1, address, 5_000_000n)
    const hash = await network.node.node.sendRawTransaction({ serializedTransaction: raw })
    await until(async () => (await merchant.cryptoDepositsOf(id)).length === 1)
    const [seen] = await merchant.cryptoDepositsOf(id)
    assert.equal(seen.tx_hash, hash)
    await network.node.reorg(1)
    await network.node.mine(1)
    await until(async () => (await merchant.cryptoDepositsOf(id))[0].status === 'dropped')
    assert.equal((await merchant.verify(seen.transaction)).status, 'failed')
    assert.equal(await network.node.node.sendRawTransaction({ serializedTransaction: raw }), hash)
    await until(async () => (await merchant.cryptoDepositsOf(id))[0].status === 'pending')
    await network.node.mine(network.confirmations)
    await until(async () => (await merchant.cryptoDepositsOf(id))[0].status === 'credited')
    assert.equal(await merchant.available('usd'), before + 500)
  })
})

describe('a payment in tokens', () => {
  it('waits while it is being confirmed, past its end too, and is then complete', async () => {
    const payment = await merchant.openPayment({
      amount: 2_500,
      currency: 'usd',
      methods: ['crypto'],
      expires_at: new Date(Date.now() + 6 * 60_000).toISOString(),
    })
    const [quote] = await chooseOnPage(payment)
    await network.node.transfer(network.usdc, 1, quote.address, quote.amount * 10_000n)
    await until(async () => (await merchant.readPayment(payment)).amount_confirming === 2_500)
    const cancel = await server.call('POST', `/payments/${payment.id}/cancel`)
    assert.deepEqual([cancel.status, cancel.code], [400, 'payment_processing'])
    await merchant.advance('10m')
    assert.equal((await merchant.readPayment(payment)).status, 'pending')
    const page = await (await fetch(payment.checkout_url)).text()
    assert.match(page, /We have seen your payment of \$25\.00/)
    await network.node.mine(network.confirmations)
    const done = await merchant.paymentEnded(payment)
    assert.equal(done.status, 'completed')
    assert.deepEqual(
      [done.amount_received, done.amount_confirming, done.variance],
      [2_500, 0, 'exact'],
    )
  })
})

describe('a payment that a transfer is being confirmed for', () => {
  it('asks for the rest by every way, and for nothing once it is covered by the way that the money came', async () => {
    // The fee differs by method: what a card would cost is more than what covers the payment in
    // tokens.
    const payment = await merchant.openPayment({
      amount: 10_000,
      currency: 'usd',
      methods: ['card', 'bank_transfer', 'crypto'],
      fee_bearer: 'customer',
    })
    const page = async (query: string) => (await fetch(`${payment.checkout_url}${query}`)).text()
    const inCents = (html: string, pattern: RegExp): number =>
      Number(((pattern.exec(html) as RegExpExecArray)[1] as string).replace(/\D/g, ''))
    const payByCard = async () =>
      inCents(await page('?method=card'), /data-busy="[^"]*">Pay \$([\d.]+)</)
    const headline = async (query: string) =>
      inCents(
        (await page(query)).replaceAll(/<style[\s\S]*?<\/style>|<(?!h1|\/h1)[^>]*>/g, ''),
        /<h1[^>]*>[^$]*\$([\d.]+)/,
      )
    const confirming = async () => (await merchant.readPayment(payment)).amount_confirming
    const whole = { card: await payByCard(), crypto: await headline('?method=crypto') }
    assert.ok(whole.card > whole.crypto && whole.crypto > 10_000, JSON.stringify(whole))

    const [quote] = await chooseOnPage(payment)
    assert.equal(Number(quote.amount), whole.crypto)
    await network.node.transfer(network.usdc, 1, quote.address, 40_000_000n)
    await until(async () => (await confirming()) === 4_000)
    assert.equal(await payByCard(), whole.card - 4_000)
    for (const [method, amount] of [
      ['card', whole.card],
      ['crypto', whole.crypto],
    ] as const) {
      assert.equal(await headline(`?method=${method}`), amount - 4_000)
      assert.equal(
        inCents(await page(`?method=${method}`), /<title>[^$]*\$([\d.]+)/),
        amount - 4_000,
      )
    }

    await network.node.transfer(network.usdc, 1, quote.address, (quote.amount - 4_000n) * 10_000n)
    await until(async () => (await confirming()) === whole.crypto)
    for (const query of ['', '?method=card', '?method=crypto']) {
      const html = await page(query)
      assert.match(html, /<title>Being confirmed – /)
      assert.doesNotMatch(html, /\/card"|still to pay|can be paid here|role="timer"/i)
    }
    const charge = await server.call('POST', `/payments/${payment.id}/simulate`, {
      outcome: 'completed',
      method: 'card',
    })
    assert.deepEqual([charge.status, charge.code], [400, 'payment_processing'])
    await network.node.mine(network.confirmations)
    assert.equal((await merchant.paymentEnded(payment)).status, 'completed')
  })
})

/** Chooses USDC on the test's network as the page's form would. */
async function chooseOnPage(payment: { id: string; checkout_url: string }) {
  const { chooseToken } = await import('../../../src/collecting/payments/payments.ts')
  return [await chooseToken(await ctxOf(server), payment.id, 'usdc', 'anvil')] as const
}

describe('a payout on a chain', () => {
  const payee = '0x00000000000000000000000000000000000A11cE'
  const order = (reference: string, amount: number, more: object = {}) => ({
    reference,
    amount,
    currency: 'usd',
    method: 'crypto',
    destination: { currency: 'usdc', chain: 'anvil', address: payee },
    ...more,
  })
  const payout = async (reference: string) =>
    (await server.call('GET', `/payouts/${reference}`)).data
  const treasury = (): string => network.wallet.treasury.address

  it('stays pending while the treasury lacks tokens or gas, says so, and goes on by itself', async () => {
    await server.fund('usd', 1_000_000)
    const made = await server.call('POST', '/payouts', order('short', 10_000))
    assert.equal(made.status, 201, JSON.stringify(made.body))
    assert.equal(made.data.destination.contract_address, network.usdc)
    await until(async () =>
      (await health()).some((one: string) =>
        /payouts on anvil wait: the treasury lacks tokens/.test(one),
      ),
    )
    assert.equal((await payout('short')).status, 'pending')
    const why = async (): Promise<string | undefined> =>
      (await toldOf(made.data.id))
        .map(({ title }) => title as string)
        .find((title) => /waits|holds/.test(title))
    await until(async () =>
      (await why())?.startsWith(
        'The account that the payout is paid from holds too little: it waits until',
      ),
    )
    // Of test mode as well: what goes to a chain moves tokens.
    const { db, clock } = server.app
    await holdOutgoing(db, {
      id: newId(clock.now()),
      reason: 'operator',
      dataOf: null,
      at: clock.now(),
    })
    assert.equal(
      await why(),
      'The operator holds all outgoing money: the payout waits until it is let go',
    )
    await releaseOutgoing(db, clock.now(), 'Ada')
    await network.node.mint(network.usdc, treasury(), 10n ** 12n)
    await network.node.fund(treasury(), 10n ** 18n)
    // Before the payout is offered again: the balance is read every fifteen seconds where nothing
    // is to be sent.
    await until(async () => !(await health()).some((one: string) => /wait/.test(one)), 20_000)
    await server.call('POST', '/test/clock', { advance: '1m' })
    await until(async () => (await payout('short')).tx_hash !== null, 30_000)
    const sent = await payout('short')
    assert.equal(sent.status, 'processing')
    assert.equal(
      await why(),
      `The payout waits for ${network.confirmations} blocks on top of it on the network`,
    )
    await network.node.mine(network.confirmations)
    await until(async () => {
      await server.call('POST', '/test/clock', { advance: '1m' })
      return (await payout('short')).status === 'completed'
    }, 30_000)
    assert.equal(
      await network.node.balance(network.usdc, payee),
      BigInt(made.data.destination_amount) * 10_000n,
    )
    assert.equal((await payout('short')).tx_hash, sent.tx_hash)
    assert.equal(await why(), undefined)
  })

  it('cannot be simulated: the chain decides', async () => {
    await server.call('POST', '/payouts', order('not-simulated', 5_000))
    const { status, code } = await server.call('POST', '/payouts/not-simulated/simulate', {
      outcome: 'completed',
    })
    assert.deepEqual([status, code], [400, 'payout_not_simulated'])
  })

  it('cannot be simulated as a refund either', async () => {
    const { data: payment } = await server.call('POST', '/payments', {
      amount: 5_000,
      currency: 'usd',
    })
    const paid = { outcome: 'completed', method: 'bank_transfer' }
    await server.call('POST', `/payments/${payment.id}/simulate`, paid)
    const { destination } = order('', 0)
    const { data: refund } = await server.call('POST', '/refunds', {
      payment: payment.id,
      amount: 1_000,
      destination,
    })
    const { status, code } = await server.call('POST', `/refunds/${refund.id}/simulate`, {
      outcome: 'completed',
    })
    assert.deepEqual([status, code], [400, 'refund_not_simulated'])
    assert.equal((await server.call('GET', `/refunds/${refund.id}`)).data.status, 'initiated')
  })

  it('shows in the metrics what the treasury holds, to who has the token', async () => {
    const ask = (token: string) =>
      fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal((await ask('wrong')).status, 401)
    const text = await (await ask('scrape-me-if-you-can')).text()
    assert.match(
      text,
      new RegExp(
        `bursar_evm_treasury_tokens\\{network="anvil",address="${treasury()}",currency="usdc"\\} \\d`,
      ),
    )
    assert.match(text, /bursar_evm_blocks_behind\{network="anvil"\} \d/)
  })

  async function health(): Promise<string[]> {
    return (await server.callAs(null)('GET', '/health')).data.warnings
  }
})

describe('money that comes late', () => {
  it('to addresses whose test data were emptied is nobody’s, and what comes after it is credited', async () => {
    const errors: unknown[][] = []
    server.app.log.error = (...said: unknown[]) => void errors.push(said)
    const { address } = await merchant.openCryptoWallet()
    await network.node.transfer(network.usdc, 1, address, 1_000_000n)
    await read()
    // While somebody holds the test data, emptying waits, and so does what the watcher reads.
    const held = newClient(server.databaseUrl)
    await held.connect()
    await held.query('begin')
    await held.query('select hold_test_data(array[$1], array[null::integer])', [server.businessId])
    await server.app.db.query(
      `insert into test_data_removals (business_id, id, requested_by, requested_at) values ($1, $2, '{"type": "operator"}', now())`,
      [server.businessId, 'e'.repeat(24)],
    )
    await until(
      async () => (await server.call('POST', '/crypto/wallets', {})).code === 'test_data_emptying',
    )
    await network.node.transfer(network.usdc, 1, address, 2_000_000n)
    await network.node.mine(network.confirmations)
    await held.query('commit')
    await held.end()
    const count = async (table: string, where = 'not livemode'): Promise<bigint | undefined> =>
      (
        await server.app.db.query<{ n: bigint }>(
          `select count(*) as n from ${table} where ${where}`,
        )
      )[0]?.n
    await until(async () => (await count('test_data_removals', 'ended_at is null')) === 0n)
    await read()
    assert.deepEqual([await count('chain_deposits'), await count('crypto_addresses')], [0n, 0n])

    await network.node.transfer(network.usdc, 1, address, 3_000_000n)
    await network.node.mine(network.confirmations)
    await read()
    assert.deepEqual([await count('chain_deposits'), await count('ledger_postings')], [0n, 0n])
    const next = await until(async () => {
      const { status, data } = await server.call('POST', '/crypto/wallets', {})
      return status === 201 && data
    })
    assert.notEqual(next.address, address)
    await network.node.transfer(network.usdc, 1, next.address, 4_000_000n)
    await network.node.mine(network.confirmations)
    await until(async () => (await merchant.available('usd')) === 400)
    assert.equal(await count('chain_deposits'), 1n)
    assert.deepEqual(errors, [])
  })
})

describe('live and test', () => {
  it('do not meet: a live key finds no chain where only a test chain is configured', async () => {
    const live = server.callAs(server.liveKey)
    const wallets = await live('POST', '/crypto/wallets', {})
    assert.deepEqual([wallets.status, wallets.code], [400, 'rail_not_configured'])
    const body = { amount: 5_000, currency: 'usd', method: 'crypto' }
    const quote = await live('POST', '/payouts/quote', {
      ...body,
      destination: { currency: 'usdc', chain: 'anvil' },
    })
    assert.deepEqual([quote.status, quote.code], [400, 'unsupported_chain'])
    const tokens = (await live('GET', '/crypto/tokens')).data
    for (const { networks } of tokens)
      for (const network of networks)
        assert.deepEqual([network.testnet, network.connected], [false, false])
  })
})
