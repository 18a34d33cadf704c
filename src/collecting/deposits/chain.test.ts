import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, type Merchant, newMerchant } from '../../../test/support/actors.ts'
import { type LocalNetwork, startNetwork } from '../../../test/support/evm.ts'
import { ctxOf, startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { silent } from '../../../test/support/treasury.ts'
import { transaction } from '../../db/db.ts'
import { openChain } from '../../rails/evm/chain.ts'
import { type EvmNetwork, readEvmFile } from '../../rails/evm/settings.ts'
import { type SweepParts, sweepOnce } from '../../rails/evm/sweep.ts'
import type { Transfer } from '../../rails/ports/chains.ts'
import { chooseToken, openTransfer } from '../payments/payments.ts'
import { chainDeposits, listSweepable } from './deposits.ts'

/** The books of deposits, told what no honest chain tells: the node itself stands still. */
let local: LocalNetwork
let server: TestServer
let merchant: Merchant
let network: EvmNetwork
before(async () => {
  local = await startNetwork({ poll: '1h' })
  server = await startServer(local.env)
  merchant = newMerchant(server)
  network = readEvmFile(local.env.EVM_FILE as string).test?.networks[0] as EvmNetwork
})
after(async () => {
  await server?.stop()
  await local?.stop()
})

const book = () => chainDeposits(server.app)
let hashes = 0
let height = 1_000n
const newHash = (): string => `0x${(++hashes).toString(16).padStart(64, '0')}`
const seen = (transfers: Transfer[]) =>
  transaction(server.app.db, (tx) => book().recordTransfers(tx, network, transfers))
const gone = (block: bigint) =>
  transaction(server.app.db, (tx) => book().dropReorganised(tx, network, block))

function transfer(to: string, units: bigint, more: Partial<Transfer> = {}): Transfer {
  return {
    currency: 'usdc',
    contract: local.usdc,
    from: local.node.account(1).address,
    to,
    units,
    txHash: newHash(),
    logIndex: 0,
    position: 0,
    blockNumber: height,
    blockHash: newHash(),
    ...more,
  }
}

async function creditAll(): Promise<void> {
  for (const due of await book().due(network, 10_000n, 100)) await book().credit(network, due)
}

const openPayment = (more: object = {}): Promise<Json> =>
  merchant.openPayment({ amount: 2_500, currency: 'usd', methods: ['crypto', 'card'], ...more })
const choose = async (id: string) => chooseToken(await ctxOf(server), id, 'usdc', 'anvil')

describe('a transfer that is mined again', () => {
  for (const [name, first, then] of [
    ['less', 1_000_000_000_000n, 10_000n],
    ['more', 10_000n, 7_000_000n],
    ['what is less than a cent', 5_000_000n, 9n],
    ['a rest it did not have', 5_000_000n, 5_000_009n],
    ['a cent where it had none', 9n, 10_000n],
  ] as const)
    for (const dropped of [true, false])
      it(`and is ${name} there, ${dropped ? 'dropped in between' : 'seen in between'}: counts as what it is`, async () => {
        const { id, address } = await merchant.openCryptoWallet()
        const before = await merchant.available('usd')
        height += 10n
        const one = transfer(address, first)
        await seen([one])
        if (dropped) assert.deepEqual(await gone(height - 1n), [])
        const other = local.node.account(5).address
        await seen([
          { ...one, units: then, from: other, blockNumber: height + 1n, blockHash: newHash() },
        ])
        await creditAll()
        assert.equal(await merchant.available('usd'), before + Number(then / 10_000n))
        const [deposit] = await merchant.cryptoDepositsOf(id)
        assert.deepEqual(
          [deposit.units, deposit.from_address, deposit.status],
          [String(then), other, 'credited'],
        )
        if (deposit.transaction) {
          const booked = await merchant.verify(deposit.transaction)
          assert.deepEqual([booked.status, booked.source.address], ['completed', other])
        }
      })

  it('after it was credited stays credited once, in its new block', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    height += 10n
    const one = transfer(address, 1_000_000n)
    await seen([one])
    await creditAll()
    const after = await merchant.available('usd')
    assert.equal((await gone(height - 1n)).length, 1)
    await seen([{ ...one, blockNumber: 1_002n, blockHash: newHash() }])
    await creditAll()
    assert.equal(await merchant.available('usd'), after)
    assert.deepEqual(
      (await merchant.cryptoDepositsOf(id)).map((d: { block_number: number }) => d.block_number),
      [1_002],
    )
  })
})

describe('transfers that nobody would send', () => {
  it('are too large to be booked, and keep nothing else from being read', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    const naira = await openPayment({ currency: 'ngn' })
    const quote = await choose(naira.id)
    const most = 10n ** 20n
    await seen([
      transfer(address, 2n ** 255n),
      transfer(quote.address, most),
      transfer(address, 30_000n),
    ])
    const listed = await merchant.cryptoDepositsOf(id)
    assert.deepEqual([listed.length, listed[0].amount], [1, 3])
    assert.equal((await merchant.readPayment(naira.id)).amount_confirming, 0)
    await creditAll()
  })

  it('several of one transaction to one address are several deposits', async () => {
    const { id, address } = await merchant.openCryptoWallet()
    const one = transfer(address, 10_000n)
    await seen([one, { ...one, position: 1, logIndex: 1 }])
    await seen([one, { ...one, position: 1, logIndex: 1 }])
    assert.equal((await merchant.cryptoDepositsOf(id)).length, 2)
    await creditAll()
  })
})

describe('a payment of which something is being confirmed', () => {
  it('is not failed by a card, nor charged beside it', async () => {
    const made = await openPayment()
    const quote = await choose(made.id)
    await seen([transfer(quote.address, quote.amount * 10_000n)])
    assert.equal((await merchant.readPayment(made.id)).amount_confirming, 2_500)
    const simulated = await server.call('POST', `/payments/${made.id}/simulate`, {
      outcome: 'failed',
    })
    assert.deepEqual([simulated.status, simulated.code], [400, 'payment_processing'])
    const charged = await server.call('POST', `/payments/${made.id}/simulate`, {
      outcome: 'completed',
      method: 'card',
    })
    assert.deepEqual([charged.status, charged.code], [400, 'payment_processing'])
    await creditAll()
    const paid = await merchant.readPayment(made.id)
    assert.deepEqual(
      [paid.status, paid.amount_received, paid.variance],
      ['completed', 2_500, 'exact'],
    )
  })

  it('can still be paid, expire and be canceled when it is only a part', async () => {
    const made = await openPayment()
    const quote = await choose(made.id)
    await seen([transfer(quote.address, 10_000n)])
    const page = await (await fetch(`${made.checkout_url}?method=crypto`)).text()
    assert.match(page, /We have seen your payment of \$0\.01/)
    assert.match(page, /Send exactly/)
    const canceled = await server.call('POST', `/payments/${made.id}/cancel`)
    assert.equal(canceled.status, 200)
    await creditAll()
    const late = await merchant.readPayment(made.id)
    assert.deepEqual([late.status, late.amount_received, late.variance], ['canceled', 1, 'late'])
  })

  it('is worth the quoted rate while that counts, and then today’s', async () => {
    const made = await openPayment({
      amount: 155_000,
      currency: 'ngn',
      expires_at: new Date(Date.now() + 20 * 86_400_000),
    })
    const quote = await choose(made.id)
    assert.equal(quote.amount, 100n)
    await server.app.db.query(
      `update payment_crypto_quotes set rate = '1000', due = 155000 where payment_id = '${made.id}'`,
    )
    await seen([transfer(quote.address, 500_000n)])
    assert.equal((await merchant.readPayment(made.id)).amount_confirming, 50_000)
    await server.call('POST', '/test/clock', { advance: '46m' })
    await seen([transfer(quote.address, 500_000n)])
    assert.equal((await merchant.readPayment(made.id)).amount_confirming, 50_000 + 77_500)
    await creditAll()
  })
})

describe('what waits for a chain', () => {
  it('is not asked about once for each wait that a test clock passes', async () => {
    await server.fund('usd', 100_000)
    const destination = { currency: 'usdc', chain: 'anvil', address: local.node.account(4).address }
    const order = {
      reference: 'waits',
      amount: 5_000,
      currency: 'usd',
      method: 'crypto',
      destination,
    }
    assert.equal((await server.call('POST', '/payouts', order)).status, 201)
    await until(async () => {
      const rows = await server.app.db.query(
        `select 1 from timers where task = 'payouts.submit' and due_at is not null`,
      )
      return rows.length === 1
    })
    const { data } = await server.call('POST', '/test/clock', { advance: '30d' })
    assert.ok(data.fired.length < 10, `${data.fired.length} timers fired`)
    assert.equal((await server.call('GET', '/payouts/waits')).data.status, 'pending')
    assert.equal((await server.call('POST', '/payouts/waits/cancel')).status, 200)
  })
})

describe('a payment that sends back what is wrong, of which something is being confirmed', () => {
  const sender = {
    account_name: 'Ada Okafor',
    account_number: '000123456789',
    bank_name: 'Sandbox Bank',
    bank_code: '110000000',
  }
  const open = (more: object = {}) =>
    openPayment({
      amount: 10_000,
      on_mismatch: 'reverse',
      methods: ['card', 'bank_transfer', 'crypto'],
      ...more,
    })
  const send = async (id: string, cents: bigint) =>
    seen([transfer((await choose(id)).address, cents * 10_000n)])
  const wire = async (id: string, amount: number) => {
    const account = await openTransfer(await ctxOf(server), id)
    await merchant.deposit(account, { amount, sender })
    return account.amount
  }
  const paid = async (id: string) => {
    const { status, amount_received, amount_confirming, variance } = await merchant.readPayment(id)
    return [
      status,
      amount_received,
      amount_confirming,
      variance,
      (await merchant.refundsOf(id)).map((one) => one.amount),
    ]
  }
  const inFull = ['completed', 10_000, 0, 'exact', []]

  it('keeps the rest that it asks for by card, and then what was being confirmed', async () => {
    const { id } = await open()
    await send(id, 4_000n)
    await merchant.simulate(id, 'completed', 'card')
    assert.deepEqual(await paid(id), ['pending', 6_000, 4_000, 'underpaid', []])
    await creditAll()
    assert.deepEqual(await paid(id), inFull)
  })

  it('asks for the rest by bank, and keeps it', async () => {
    const { id } = await open()
    await send(id, 4_000n)
    assert.equal(await wire(id, 6_000), 6_000n)
    await creditAll()
    assert.deepEqual(await paid(id), inFull)
  })

  it('keeps both parts that were sent in tokens', async () => {
    const { id } = await open()
    await send(id, 4_000n)
    await send(id, 6_000n)
    await creditAll()
    assert.deepEqual(await paid(id), inFull)
  })

  it('keeps what covers it with the fee that the payer bears', async () => {
    const { id } = await open({ fee_bearer: 'customer' })
    await send(id, 4_000n)
    assert.equal(
      (
        await server.call('POST', `/payments/${id}/simulate`, {
          outcome: 'completed',
          method: 'card',
        })
      ).status,
      200,
    )
    assert.deepEqual(
      (await merchant.refundsOf(id)).map((one) => one.amount),
      [],
    )
    await creditAll()
    const done = await merchant.readPayment(id)
    assert.equal(done.status, 'completed')
    assert.ok(done.net >= 10_000)
  })

  it('sends back what does not make it whole with what is being confirmed, and what is more', async () => {
    const { id } = await open()
    await send(id, 4_000n)
    await wire(id, 5_999)
    assert.deepEqual(await paid(id), ['pending', 5_999, 4_000, 'underpaid', [5_999]])
    await wire(id, 7_000)
    await creditAll()
    assert.deepEqual(await paid(id), ['completed', 16_999, 0, 'overpaid', [1_000, 5_999]])
  })
})

describe('addresses to sweep', () => {
  const keyOf = async (address: string): Promise<string> => {
    const rows = await server.app.db.query<{ key: string }>(
      `select key from crypto_addresses where address = '${address}'`,
    )
    return rows[0]?.key as string
  }
  const isListed = async (address: string): Promise<boolean> => {
    for await (const page of listSweepable(server.app, network, await keyOf(address)))
      if (page.some((one) => one.address === address)) return true
    return false
  }

  it('are those that were paid in a token since that token was swept', async () => {
    const { address } = await merchant.openCryptoWallet()
    await seen([
      transfer(address, 1_000_000n),
      transfer(address, 10n ** 18n, { currency: 'usdt', contract: local.usdt }),
    ])
    await creditAll()
    const swept = (contract: string) =>
      server.app.db.query(
        `insert into evm_transactions (network, id, kind, sender, key_index, recipient, contract_address, units, nonce, gas, hash, block_number, status, created_at, updated_at)
         values ('anvil', '${newHash().slice(-24)}', 'sweep', '${address}', 0, '${address}', '${contract}', 1, ${++hashes}, 1, '', ${height}, 'completed', now() + interval '1 minute', now())`,
      )
    assert.equal(await isListed(address), true)
    await swept(local.usdc)
    assert.equal(await isListed(address), true)
    await swept(local.usdt)
    assert.equal(await isListed(address), false)
  })

  it('are those too that were paid after a sweep was signed and no later than it was mined', async () => {
    const { node, usdc, wallet: keys } = local
    const { address } = await merchant.openCryptoWallet()
    const key = await keyOf(address)
    const parts: SweepParts = {
      db: server.app.db,
      clock: server.app.clock,
      log: silent,
      chain: openChain(network),
      treasury: keys.treasury.address,
      deposit: keys.deposit,
      minimum: 1_000n,
    }
    const sweep = () => sweepOnce(parts, listSweepable(server.app, network, key))
    const credit = async (units: bigint, blockNumber: bigint): Promise<void> => {
      await seen([transfer(address, units, { blockNumber })])
      await creditAll()
    }
    await node.fund(address, 10n ** 18n)
    await node.transfer(usdc, 1, address, 20_000_000n)
    await credit(20_000_000n, (await node.node.getBlock()).number)
    await node.mine(local.confirmations)
    await node.node.setAutomine(false)
    await sweep()
    await node.transfer(usdc, 1, address, 30_000_000n)
    await node.mine(1)
    await node.node.setAutomine(true)
    assert.equal(await node.balance(usdc, address), 30_000_000n)
    await credit(30_000_000n, (await node.node.getBlock()).number)
    await node.mine(local.confirmations)
    await sweep()
    assert.equal(await node.balance(usdc, address), 0n)
    await node.mine(local.confirmations)
    assert.deepEqual(await sweep(), {
      started: [],
      unread: [],
      waiting: 0,
      sent: 0,
      troubles: [],
      lasting: [],
    })
    assert.equal(await isListed(address), false)
  })
})
