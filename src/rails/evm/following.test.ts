import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { parseGwei, parseTransaction, RpcRequestError } from 'viem'
import {
  finish,
  randomAddress,
  setTokens,
  startTreasury,
  wrapped,
} from '../../../test/support/treasury.ts'
import { type Chain, openChain } from './chain.ts'
import type { Endpoint } from './endpoint.ts'
import { giveUp } from './following.ts'
import { bumpFees } from './funds.ts'
import { senderStates, sendTask } from './sender.ts'

describe('a payout that one endpoint says has failed', () => {
  /**
   * What has reverted, deep enough, on a chain whose second and third endpoint can be made to say
   * something else.
   */
  async function start(t: TestContext, configured: number) {
    const treasury = await startTreasury(t)
    const { anvil, rail } = treasury
    await anvil.node.setAutomine(false)
    const order = treasury.order(100n)
    await rail.send(order)
    await treasury.tick()
    await setTokens(anvil, treasury.token, treasury.signer.address, 0n)
    await anvil.mine(4)
    const others: Partial<Endpoint>[] = Array.from({ length: configured }, () => ({}))
    const nodes = others.map((_, i) => {
      const node = openChain(treasury.network)
      return wrapped(node, () => others[i] as Partial<Endpoint>)
    }) as [Chain, ...Chain[]]
    const chain: Chain = {
      ...nodes[0],
      everywhere: (work) => Promise.allSettled(nodes.map((node) => node.on(work))),
    }
    return { treasury, order, others, task: sendTask({ ...treasury.parts, chain }) }
  }
  const silence = { receipt: () => Promise.reject(new TypeError('gone')) }

  it('is failed at once when there is no other', async (t) => {
    const { treasury, order, task } = await start(t, 1)
    await task.run()
    assert.equal((await treasury.rail.ask(order)).state, 'failed')
  })

  it('waits while another does not know it, says that it was paid, or has it in another block', async (t) => {
    const { treasury, order, others, task } = await start(t, 3)
    const receipt = (hash: string) =>
      treasury.chain.on((endpoint) => endpoint.receipt(hash)) as Promise<never>
    for (const other of [
      async () => null,
      async (hash: string) => ({ ...((await receipt(hash)) as object), success: true }) as never,
      async (hash: string) =>
        ({ ...((await receipt(hash)) as object), blockHash: `0x${'12'.repeat(32)}` }) as never,
    ]) {
      others[2] = { receipt: other }
      await task.run()
      assert.equal((await treasury.rail.ask(order)).state, 'processing')
      assert.match(
        (await treasury.trouble()) as string,
        /^payout \w+ has failed in block \d+ of local by the word of 2 of 3 endpoints: it waits until all/,
      )
    }
    others[2] = silence
    await task.run()
    assert.equal((await treasury.rail.ask(order)).state, 'failed')
    assert.equal(await treasury.trouble(), null)
  })

  it('waits while the only other one cannot be reached', async (t) => {
    const { treasury, order, others, task } = await start(t, 2)
    others[1] = silence
    await task.run()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match((await treasury.trouble()) as string, /by the word of 1 of 2 endpoints/)
    others[1] = {}
    await task.run()
    const state = await treasury.rail.ask(order)
    assert.deepEqual(
      [state.state, (state as { reason: string }).reason],
      ['failed', 'network_error'],
    )
    assert.equal(await treasury.trouble(), null)
  })

  it('asks them all over the real thing', async (t) => {
    const treasury = await startTreasury(t, {
      rpc: (url) => [url, 'http://127.0.0.1:9/secret-key', `${url}/`],
    })
    const answers = await treasury.chain.everywhere((endpoint) => endpoint.tip())
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.doesNotMatch(inspect(answers, { depth: 9, showHidden: true }), /secret/)
  })
})

describe('a payout that is stuck', () => {
  it('is replaced at a higher fee with the same nonce, and paid once', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail } = treasury
    await anvil.node.setAutomine(false)
    const order = treasury.order(100n)
    const behind = treasury.order(200n)
    await rail.send(order)
    await rail.send(behind)
    await treasury.tick()
    const first = ((await rail.ask(order)) as { txHash: string }).txHash
    // No block could have taken it yet.
    treasury.clock.advance(120_000)
    await treasury.tick()
    assert.equal((await treasury.broadcasts(order)).length, 1)

    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
    await anvil.mine(1)
    assert.equal(await treasury.mined(first), false)
    await treasury.tick()
    const [low, high] = await treasury.broadcasts(order)
    assert.ok(BigInt(high?.max_fee ?? 0) >= 90_000_000_000n && low?.hash === first)
    assert.equal((await treasury.broadcasts(behind)).length, 2)
    assert.equal(((await rail.ask(order)) as { txHash: string }).txHash, high?.hash)
    await anvil.node.setAutomine(true)
    await anvil.mine(1)
    const state = await finish(treasury, order)
    assert.deepEqual(state, {
      state: 'completed',
      providerReference: high?.hash,
      txHash: high?.hash,
    })
    assert.equal((await finish(treasury, behind)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
    assert.equal(await treasury.received(behind), 2_000_000n)
    assert.equal((await treasury.row(behind))?.nonce, 1n)
  })

  it('is given more gas when it takes more by now, and holds up none behind it', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail } = treasury
    let estimate = 50_000n
    const chain = wrapped(treasury.chain, (endpoint) => ({
      gas: async () => estimate,
      async send(raw) {
        if ((parseTransaction(raw).gas as bigint) < 120_000n)
          throw new RpcRequestError({
            body: {},
            error: { code: -32_000, message: 'intrinsic gas too low' },
            url: '',
          })
        return endpoint.send(raw)
      },
    }))
    const task = sendTask({ ...treasury.parts, chain })
    const two = { ...treasury, tick: () => task.run() }
    const order = treasury.order(100n)
    const behind = treasury.order(200n)
    for (const one of [order, behind]) await rail.send(one)
    await task.run()
    assert.equal((await treasury.row(order))?.gas, 80_000n)
    estimate = 110_000n
    await anvil.mine(1)
    treasury.clock.advance(120_000)
    for (const one of [order, behind]) assert.equal((await finish(two, one)).state, 'completed')
    assert.equal((await treasury.row(order))?.gas, 152_000n)
    assert.equal(await treasury.received(order), 1_000_000n)
  })

  it('counts whichever version is mined', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail, chain } = treasury
    await anvil.node.setAutomine(false)
    const order = treasury.order(100n)
    await rail.send(order)
    await treasury.tick()
    const [first] = await treasury.db.query<{ raw: `0x${string}`; hash: string }>(
      'select raw, hash from evm_broadcasts',
    )
    await anvil.mine(0)
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
    await anvil.mine(1)
    treasury.clock.advance(120_000)
    await treasury.tick()
    assert.equal((await treasury.broadcasts(order)).length, 2)
    // The node forgets the second, and somebody brings it the first again.
    for (const { hash } of await treasury.broadcasts(order))
      await anvil.node.dropTransaction({ hash })
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.1') })
    await chain.on((endpoint) => endpoint.send(first?.raw as `0x${string}`))
    await anvil.mine(1)
    await treasury.tick()
    assert.equal(((await rail.ask(order)) as { txHash: string }).txHash, first?.hash)
    const state = await finish(treasury, order)
    assert.deepEqual(state, {
      state: 'completed',
      providerReference: first?.hash,
      txHash: first?.hash,
    })
    assert.equal(await treasury.received(order), 1_000_000n)
  })

  it('says so at the highest fee, and waits', async (t) => {
    const treasury = await startTreasury(t, { network: { maxFeePerGas: parseGwei('5') } })
    const { anvil, rail } = treasury
    await anvil.node.setAutomine(false)
    const order = treasury.order(100n)
    const late = treasury.order(100n)
    await rail.send(order)
    await treasury.tick()
    await rail.send(late)
    for (let round = 0; round < 3; round++) {
      await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('50') })
      await anvil.mine(1)
      treasury.clock.advance(120_000)
      await treasury.tick()
    }
    const fees = (await treasury.broadcasts(order)).map((one) => BigInt(one.max_fee))
    assert.equal(fees.at(-1), parseGwei('5'))
    const trouble = (await treasury.trouble()) as string
    assert.match(
      trouble,
      /nonce 0 of 0x\w+, is not mined at 5000000000 wei for gas, the most that max_fee_gwei allows/,
    )
    assert.match(trouble, /gas on local costs [\d.]+ gwei; max_fee_gwei allows 5(;|$)/)
    assert.equal((await treasury.row(late))?.nonce, null)
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
    await anvil.mine(1)
    for (const one of [order, late]) assert.equal((await finish(treasury, one)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
  })

  it('is raised by what nodes want at least', () => {
    const fees = (max: bigint, priority: bigint) => ({
      maxFeePerGas: max,
      maxPriorityFeePerGas: priority,
    })
    assert.deepEqual(bumpFees(fees(100n, 10n), fees(50n, 5n), 1_000n), fees(113n, 12n))
    assert.deepEqual(bumpFees(fees(100n, 0n), fees(500n, 5n), 1_000n), fees(500n, 5n))
    assert.deepEqual(bumpFees(fees(100n, 0n), fees(50n, 0n), 110n), fees(110n, 1n))
    assert.equal(bumpFees(fees(100n, 0n), fees(500n, 5n), 109n), null)
    assert.deepEqual(bumpFees(fees(100n, 99n), fees(50n, 0n), 112n), fees(112n, 112n))
  })
})

describe('the chain below a payout', () => {
  it('may drop its block: it is sent again, and paid once', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 4 } })
    const { anvil, rail } = treasury
    const orders = [treasury.order(100n), treasury.order(200n)]
    // Both can be mined in one block: what is taken back must not reach the block that filled the
    // treasury.
    await anvil.mine(2)
    for (const order of orders) await rail.send(order)
    await treasury.tick()
    await treasury.tick()
    const hashes = await Promise.all(
      orders.map(async (order) => ((await rail.ask(order)) as { txHash: string }).txHash),
    )
    await anvil.reorg(2)
    for (const hash of hashes) assert.equal(await treasury.mined(hash), false)
    for (const order of orders) {
      assert.equal((await finish(treasury, order)).state, 'completed')
      assert.equal(await treasury.received(order), order.amount * 10_000n)
      assert.equal((await treasury.broadcasts(order)).length, 1)
    }
    assert.equal(await anvil.node.getTransactionCount({ address: treasury.signer.address }), 2)
  })

  it('may have a nonce that somebody else used: an alarm, and nothing is paid by itself', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 2 } })
    const { anvil, rail, signer } = treasury
    const order = treasury.order(100n)
    const next = treasury.order(300n)
    await rail.send(order)
    const deaf = sendTask({
      ...treasury.parts,
      chain: wrapped(treasury.chain, () => ({ send: async () => {} })),
    })
    await deaf.run()
    const fees = await treasury.chain.on((endpoint) => endpoint.fees())
    const foreign = {
      chainId: 31_337,
      nonce: 0,
      to: randomAddress(),
      value: 1n,
      data: '0x' as const,
      gas: 21_000n,
      ...fees,
    }
    const raw = await signer.sign(foreign)
    await treasury.chain.on((endpoint) => endpoint.send(raw))
    await treasury.tick()
    assert.equal(await treasury.trouble(), null)
    await anvil.mine(2)
    await treasury.tick()
    assert.match(
      (await treasury.trouble()) as string,
      /nonce 0 of 0x\w+ on local was used by a transaction that is not ours/,
    )
    treasury.clock.advance(600_000)
    for (let round = 0; round < 3; round++) {
      await treasury.tick()
      await anvil.mine(1)
    }
    assert.equal((await rail.ask(order)).state, 'processing')
    assert.equal((await treasury.broadcasts(order)).length, 1)
    assert.equal(await treasury.received(order), 0n)
    assert.equal(await giveUp(treasury.parts, next.id), false)
    // Others go on, with nonces that are free.
    await treasury.chain.on(async (endpoint) =>
      endpoint.send(await signer.sign({ ...foreign, nonce: 1 })),
    )
    await rail.send(next)
    assert.equal((await finish(treasury, next)).state, 'completed')
    assert.equal((await treasury.row(next))?.nonce, 2n)
    assert.match(
      treasury.logged.join('\n'),
      /another program has sent from the treasury: its next nonce was 2, not 1/,
    )
    assert.equal(await treasury.received(next), 3_000_000n)

    assert.equal(await giveUp(treasury.parts, next.id), false)
    assert.equal(await giveUp(treasury.parts, order.id), true)
    const state = await rail.ask(order)
    assert.deepEqual(
      [state.state, (state as { reason: string }).reason],
      ['failed', 'network_error'],
    )
    await treasury.tick()
    assert.equal(await treasury.trouble(), null)
    assert.equal(await treasury.received(order), 0n)
  })

  it('may be reset: nothing is signed behind a gap', async (t) => {
    const treasury = await startTreasury(t)
    const first = treasury.order(100n)
    await treasury.rail.send(first)
    await finish(treasury, first)
    await treasury.anvil.node
      .setNonce({ address: treasury.signer.address, nonce: 0 })
      .catch(() => {})
    await treasury.db.query('update evm_senders set next_nonce = 5')
    const second = treasury.order(200n)
    await treasury.rail.send(second)
    await treasury.tick()
    assert.match((await treasury.trouble()) as string, /the node is behind, the chain was reset/)
    assert.equal((await treasury.row(second))?.nonce, null)
  })

  it('is reached over the next URL when the first is dead, and never when it is another chain', async (t) => {
    const treasury = await startTreasury(t, {
      rpc: (url) => ['http://127.0.0.1:9/secret-key', url],
    })
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    assert.equal((await finish(treasury, order)).state, 'completed')

    const dead = sendTask({
      ...treasury.parts,
      chain: openChain({ ...treasury.network, rpc: ['http://127.0.0.1:9/secret-key'] }),
    })
    const waiting = treasury.order(200n)
    await treasury.rail.send(waiting)
    await dead.run()
    const trouble = (await treasury.trouble()) as string
    assert.match(trouble, /^local cannot be worked with: /)
    assert.doesNotMatch(trouble, /secret/)
    const wrong = sendTask({
      ...treasury.parts,
      chain: openChain({ ...treasury.network, rpc: [treasury.anvil.url], chain_id: 1 }),
    })
    await wrong.run()
    assert.match((await treasury.trouble()) as string, /is chain 31337, not 1/)
    assert.equal((await treasury.row(waiting))?.nonce, null)
    assert.equal((await finish(treasury, waiting)).state, 'completed')
    assert.equal((await senderStates(treasury.db)).length, 1)
  })

  it('may refuse what is broadcast: it is broadcast again', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    const broken = wrapped(treasury.chain, () => ({
      send: async () => {
        throw new TypeError('socket hang up')
      },
    }))
    await sendTask({ ...treasury.parts, chain: broken }).run()
    assert.match((await treasury.trouble()) as string, /socket hang up/)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
    assert.equal((await treasury.broadcasts(order)).length, 1)
  })
})
