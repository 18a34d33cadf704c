import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startServer, until } from '../../../test/support/harness.ts'
import {
  block,
  finish,
  randomAddress,
  setTokens,
  startTreasury,
  type Treasury,
  unblock,
  wrapped,
} from '../../../test/support/treasury.ts'
import { refundTasks } from '../../collecting/refunds/settlement.ts'
import type { Task } from '../../core/module.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import { openChain } from './chain.ts'
import { WouldRevert } from './rpc-errors.ts'
import { evmPayoutRail, sendTask } from './sender.ts'

const processing = (txHash: string | null) => ({
  state: 'processing',
  providerReference: txHash,
  txHash,
})

describe('a payout on a chain', () => {
  for (const decimals of [6, 18])
    it(`is mined, and completed after exactly as many blocks as the network wants (${decimals} decimals)`, async (t) => {
      const treasury = await startTreasury(t, { decimals, network: { confirmations: 3 } })
      const { rail, anvil } = treasury
      const order = treasury.order(12_34n)
      assert.deepEqual(await rail.ask(order), { state: 'not_found' })
      // How soon it is asked about grows with the time that it has waited.
      const accepted = await rail.send(order)
      assert.deepEqual(
        { ...accepted, askAgainInMs: null },
        { ...processing(null), askAgainInMs: null },
      )
      await treasury.tick()
      const sent = await rail.ask(order)
      assert.match((sent as { txHash: string }).txHash, /^0x[0-9a-f]{64}$/)
      await until(() => treasury.mined((sent as { txHash: string }).txHash))
      for (let blocks = 0; blocks < 3; blocks++) {
        await treasury.tick()
        assert.equal((await rail.ask(order)).state, 'processing')
        await anvil.mine(1)
      }
      await treasury.tick()
      const txHash = (sent as { txHash: string }).txHash
      assert.deepEqual(await rail.ask(order), {
        state: 'completed',
        providerReference: txHash,
        txHash,
      })
      assert.deepEqual(await rail.send(order), {
        state: 'completed',
        providerReference: txHash,
        txHash,
      })
      assert.equal(await treasury.received(order), 12_34n * treasury.unit)
      assert.equal(await treasury.trouble(), null)
    })

  it('is not completed a block early when it is first looked at late', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 3 } })
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    await treasury.tick()
    await treasury.anvil.mine(2)
    await treasury.tick()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    await treasury.anvil.mine(1)
    await treasury.tick()
    assert.equal((await treasury.rail.ask(order)).state, 'completed')
  })

  it('is one payout however often it is sent, and never another one', async (t) => {
    const treasury = await startTreasury(t)
    const { rail } = treasury
    const order = treasury.order(100n)
    await Promise.all(Array.from({ length: 5 }, () => rail.send(order)))
    await treasury.tick()
    await rail.send(order)
    await finish(treasury, order)
    assert.equal(await treasury.received(order), 1_000_000n)
    await assert.rejects(rail.send({ ...order, amount: 101n }), /taken on local as another one/)
    const elsewhere = { ...order.destination, address: randomAddress() } as typeof order.destination
    await assert.rejects(
      rail.ask({ ...order, destination: elsewhere }),
      /taken on local as another one/,
    )
    const other = {
      ...order.destination,
      contract_address: randomAddress(),
    } as typeof order.destination
    await assert.rejects(
      rail.send({ ...treasury.order(5n), destination: other }),
      /is not the usdc of local/,
    )
    const chain = { ...order.destination, chain: 'base' } as typeof order.destination
    await assert.rejects(
      rail.send({ ...treasury.order(5n), destination: chain }),
      /is not for an account of local/,
    )
    const typo = {
      ...order.destination,
      address: `0x${'aB'.repeat(20)}`,
    } as typeof order.destination
    await assert.rejects(
      rail.send({ ...treasury.order(5n), destination: typo }),
      /is not for an account of local/,
    )
  })

  it('of many at once: each is paid once, by nonces without a gap, however many processes', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 1 } })
    const other = sendTask({ ...treasury.parts, chain: openChain(treasury.network) })
    const orders = Array.from({ length: 20 }, (_, i) => treasury.order(BigInt(100 + i)))
    await Promise.all(orders.map((order) => treasury.rail.send(order)))
    for (let round = 0; round < 6; round++) {
      await Promise.all([treasury.tick(), other.run(), treasury.tick()])
      await treasury.anvil.mine(1)
    }
    for (const order of orders) {
      assert.equal((await finish(treasury, order)).state, 'completed')
      assert.equal(await treasury.received(order), order.amount * 10_000n)
    }
    const nonces = await treasury.db.query<{ nonce: bigint }>(
      'select nonce from evm_transactions order by nonce',
    )
    assert.deepEqual(
      nonces.map(({ nonce }) => nonce),
      orders.map((_, i) => BigInt(i)),
    )
    const [signed] = await treasury.db.query<{ count: bigint }>(
      'select count(*) as count from evm_broadcasts',
    )
    assert.equal(signed?.count, 20n)
  })

  it('that the token would refuse is not sent and takes no nonce', async (t) => {
    const treasury = await startTreasury(t)
    const { rail } = treasury
    const refused = treasury.order(100n)
    const fine = treasury.order(200n)
    await block(
      treasury.anvil,
      treasury.token,
      'to',
      (refused.destination as { address: string }).address,
    )
    await rail.send(refused)
    await rail.send(fine)
    await treasury.tick()
    const never = { state: 'failed', reason: 'rejected', providerReference: null, txHash: null }
    assert.deepEqual(await rail.ask(refused), never)
    assert.equal((await finish(treasury, fine)).state, 'completed')
    assert.equal((await treasury.row(fine))?.nonce, 0n)
    assert.deepEqual(await rail.send(refused), never)
    assert.equal(await treasury.received(refused), 0n)
  })

  it('waits when the token lets the treasury itself send nothing', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await block(treasury.anvil, treasury.token, 'from', treasury.signer.address)
    await treasury.rail.send(order)
    await treasury.tick()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match((await treasury.trouble()) as string, /lets 0x\w+ send nothing/)
    await unblock(treasury.anvil, treasury.token)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.trouble(), null)
  })

  it('waits when a node refuses it that has not seen the treasury funded', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    let behind = true
    const chain = wrapped(treasury.chain, (endpoint) => ({
      async gas(call) {
        const toSelf = call.data.includes(treasury.signer.address.slice(2).toLowerCase())
        if (behind && !toSelf)
          throw new WouldRevert('execution reverted: transfer amount exceeds balance')
        return endpoint.gas(call)
      },
    }))
    const task = sendTask({ ...treasury.parts, chain })
    await treasury.rail.send(order)
    await task.run()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match(
      (await treasury.trouble()) as string,
      /cannot be estimated: .* transfer amount exceeds balance/,
    )
    behind = false
    assert.equal((await finish({ ...treasury, tick: () => task.run() }, order)).state, 'completed')
    assert.equal(await treasury.trouble(), null)
  })

  it('does not hold up others when the node cannot say what it takes', async (t) => {
    const treasury = await startTreasury(t)
    const odd = treasury.order(100n)
    const fine = treasury.order(200n)
    // An invalid instruction is no revert.
    await block(
      treasury.anvil,
      treasury.token,
      'to',
      (odd.destination as { address: string }).address,
      'fe',
    )
    await treasury.rail.send(odd)
    await treasury.rail.send(fine)
    assert.equal((await finish(treasury, fine)).state, 'completed')
    assert.equal((await treasury.rail.ask(odd)).state, 'processing')
    assert.match(
      (await treasury.trouble()) as string,
      new RegExp(`payout ${odd.id} cannot be estimated: `),
    )
    await unblock(treasury.anvil, treasury.token)
    assert.equal((await finish(treasury, odd)).state, 'completed')
  })

  it('fails when it reverts in its block, once that is deep, and says by which transaction', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail } = treasury
    await anvil.node.setAutomine(false)
    const order = treasury.order(100n)
    await rail.send(order)
    await treasury.tick()
    await setTokens(anvil, treasury.token, treasury.signer.address, 0n)
    await anvil.mine(1)
    await treasury.tick()
    assert.equal((await rail.ask(order)).state, 'processing')
    const txHash = (await treasury.broadcasts(order))[0]?.hash as string
    await until(() => treasury.mined(txHash))
    const state = await finish(treasury, order)
    assert.deepEqual(state, {
      state: 'failed',
      reason: 'network_error',
      providerReference: txHash,
      txHash,
    })
    await setTokens(anvil, treasury.token, treasury.signer.address, 10n ** 12n)
    await treasury.tick()
    assert.equal(await treasury.received(order), 0n)
  })

  it('of a token that is short does not hold up those of another', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail } = treasury
    const usdt = await anvil.deploy('USDT', 6)
    const tokens = { ...treasury.network.tokens, usdt: { contract_address: usdt, decimals: 6 } }
    const two = { ...treasury, ...withTokens(treasury, tokens) }
    const short = Array.from({ length: 20 }, () => {
      const order = treasury.order(100n)
      return {
        ...order,
        currency: 'usdt',
        destination: { ...order.destination, currency: 'usdt', contract_address: usdt },
      }
    }) as (typeof order)[]
    for (const one of short) await two.rail.send(one)
    const order = treasury.order(200n)
    await two.rail.send(order)
    assert.equal((await finish(two, order)).state, 'completed')
    assert.match(
      (await treasury.trouble()) as string,
      /^the treasury 0x\w+ holds 0.00 USDT on local; 1.00 needed$/,
    )
    assert.equal((await rail.ask(order)).state, 'completed')
    await anvil.mint(usdt, treasury.signer.address, 20_000_000n)
    for (const one of short) assert.equal((await finish(two, one)).state, 'completed')
    assert.equal(await anvil.balance(usdt, treasury.signer.address), 0n)
  })

  it('that cannot be estimated holds up none of the same token, though it is first and takes all there is', async (t) => {
    const treasury = await startTreasury(t, { cents: 2_500n })
    const { anvil, rail } = treasury
    const nobody = randomAddress()
    await block(anvil, treasury.token, 'to', nobody, 'fe')
    const odd = [2_500n, ...Array.from({ length: 19 }, () => 1n)].map((cents) =>
      treasury.order(cents, nobody),
    )
    for (const order of odd) await rail.send(order)
    const fine = treasury.order(200n)
    await rail.send(fine)
    await treasury.tick()
    assert.match(
      (await treasury.trouble()) as string,
      /cannot be estimated: .*; 17 more on local cannot be estimated$/,
    )
    assert.equal((await finish(treasury, fine)).state, 'completed')
    for (const order of odd) assert.equal((await treasury.row(order))?.status, 'queued')
  })

  it('waits when the node says that it takes more gas than any transfer', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    let gas = 2_000_001n
    const task = sendTask({
      ...treasury.parts,
      chain: wrapped(treasury.chain, () => ({ gas: async () => gas })),
    })
    await task.run()
    assert.deepEqual(
      [(await treasury.row(order))?.status, (await treasury.row(order))?.nonce],
      ['queued', null],
    )
    assert.equal(
      await treasury.trouble(),
      `payout ${order.id} cannot be estimated: it would take 2000001 gas, and 2000000 is the most that we allow on local`,
    )
    gas = 2_000_000n
    await task.run()
    assert.equal((await treasury.row(order))?.status, 'sent')
    assert.equal((await finish(treasury, order)).state, 'completed')
  })

  it('waits for what the treasury lacks, says so, and goes on when it is there', async (t) => {
    const treasury = await startTreasury(t, { cents: 12_00n, coins: 0n })
    const { rail, anvil, signer } = treasury
    const order = treasury.order(50_00n)
    const obstacle = async () => (await rail.obstacle?.(order))?.sentence ?? null
    assert.equal(await obstacle(), 'no worker that holds the payout key of local has run yet')
    await treasury.tick()
    const lacks = `the treasury ${signer.address} holds 12.00 USDC on local; 50.00 needed`
    assert.equal(await obstacle(), lacks)
    await rail.send(order)
    await treasury.tick()
    assert.equal(await treasury.trouble(), lacks)
    const waiting = { ...processing(null), waits: 'balance_too_low' }
    assert.deepEqual(
      { ...(await rail.ask(order)), askAgainInMs: null },
      { ...waiting, askAgainInMs: null },
    )
    const state = await treasury.state()
    assert.deepEqual([state?.queued, state?.sent, state?.nativeBalance], [1, 0, 0n])
    assert.deepEqual(state?.tokenBalances, { usdc: 12_000_000n })
    assert.ok(state?.oldestQueuedAt instanceof Date)

    await anvil.mint(treasury.token, signer.address, 50_000_000n)
    await treasury.tick()
    assert.match(
      (await treasury.trouble()) as string,
      /holds 0 ETH on local; 0\.\d+ ETH needed for gas$/,
    )
    assert.match(
      (await rail.obstacle?.(treasury.order(1_00n)))?.sentence as string,
      /holds 0 ETH on local; 0\.\d+ ETH needed for gas$/,
    )
    assert.match(
      (await rail.obstacle?.(treasury.order(13_00n)))?.sentence as string,
      /holds 62.00 USDC on local; 63.00 needed$/,
    )
    await anvil.fund(signer.address, 10n ** 18n)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.trouble(), null)
    assert.equal(await treasury.received(order), 50_000_000n)

    treasury.clock.advance(300_000)
    assert.match(
      (await rail.obstacle?.(treasury.order(1_00n)))?.sentence as string,
      /^local was last read at /,
    )
    await treasury.tick()
    assert.equal(await rail.obstacle?.(treasury.order(1_00n)), null)
  })

  it('is not passed by a smaller one of the same token, and holds what is signed against the balance', async (t) => {
    const treasury = await startTreasury(t, { cents: 100_00n })
    const { anvil, rail } = treasury
    await anvil.node.setAutomine(false)
    const orders = [80_00n, 30_00n, 10_00n].map((cents) => treasury.order(cents))
    for (const order of orders) await rail.send(order)
    await treasury.tick()
    await treasury.tick()
    const hashes = await Promise.all(
      orders.map(async (order) => (await treasury.row(order))?.status),
    )
    assert.deepEqual(hashes, ['sent', 'queued', 'queued'])
    assert.match((await treasury.trouble()) as string, /holds 100.00 USDC on local; 110.00 needed$/)
    await setTokens(anvil, treasury.token, treasury.signer.address, 120_000_000n)
    await anvil.node.setAutomine(true)
    for (const order of orders) assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await anvil.balance(treasury.token, treasury.signer.address), 0n)
  })
})

describe('a refund', () => {
  it('is not sent to a rail that has an obstacle, and is offered again after a while', async (t) => {
    const server = await startServer()
    t.after(() => server.stop())
    const { app, businessId } = server
    await server.fund('ngn', 1_000_000)
    const rail = app.rails.test.sandbox.ports.payout
    const sent: string[] = []
    const { send } = rail
    rail.send = (order) => {
      sent.push(order.id)
      return send(order)
    }
    rail.obstacle = async () => ({
      obstacle: 'balance_too_low',
      sentence: 'the treasury lacks tokens',
    })
    const payment = (await server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' }))
      .data
    await server.call('POST', `/payments/${payment.id}/simulate`, {
      outcome: 'completed',
      method: 'card',
    })
    const { id } = (await server.call('POST', '/refunds', { payment: payment.id })).data
    const settle = refundTasks['refunds.settle'] as Task
    const run = async () => {
      const ctx = outside(app, await scopeOf(app, businessId, false))
      await settle(ctx, { refund_id: id }, new AbortController().signal)
    }
    await run()
    await until(async () => {
      const timers = await app.db.query<{ waits: boolean | null }>(
        "select due_at > now() + interval '10 seconds' as waits from timers where subject = $1",
        [id],
      )
      return timers.length > 0 && timers.every(({ waits }) => waits) ? true : null
    })
    assert.deepEqual(sent, [])
    assert.equal((await server.call('GET', `/refunds/${id}`)).data.status, 'initiated')

    // What the rail has taken is asked about, whatever is in the way of others.
    rail.obstacle = async () => null
    await run()
    assert.ok(sent.length > 0)
    rail.obstacle = () => Promise.reject(new Error('must not be asked'))
    const refund = await until(async () => {
      await run()
      const { data } = await server.call('GET', `/refunds/${id}`)
      return data.status === 'initiated' ? null : data
    })
    assert.equal(refund.status, 'completed')
    assert.deepEqual([...new Set(sent)], [id])
  })
})

/** The rail and the task of a treasury with other tokens. */
function withTokens({ parts, network }: Treasury, tokens: Treasury['network']['tokens']) {
  const other = { ...parts, chain: openChain({ ...network, tokens }) }
  const task = sendTask(other)
  return { rail: evmPayoutRail(other), tick: () => task.run() }
}
