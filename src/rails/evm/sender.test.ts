import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { parseGwei, parseTransaction, RpcRequestError } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { startServer, until } from '../../../test/harness.ts'
import {
  block,
  finish,
  randomAddress,
  setTokens,
  startTreasury,
  type Treasury,
  unblock,
  wrapped,
} from '../../../test/treasury.ts'
import { refundTasks } from '../../collecting/refunds/settlement.ts'
import { scopeOf } from '../../core/context.ts'
import type { Task } from '../../platform/jobs/jobs.ts'
import { giveUp } from './broadcasts.ts'
import { type Chain, type Endpoint, openChain, WouldRevert } from './chain.ts'
import { signerOf } from './keys.ts'
import { dearer } from './purse.ts'
import { evmPayoutRail, sendChore, senderStates } from './sender.ts'
import { sweepChore } from './sweep.ts'
import { newMemory, step } from './watcher.ts'

const processing = (txHash: string | null) => ({ state: 'processing', providerReference: txHash, txHash })

describe('a payout on a chain', () => {
  for (const decimals of [6, 18])
    it(`is mined, and completed after exactly as many blocks as the network wants (${decimals} decimals)`, async (t) => {
      const treasury = await startTreasury(t, { decimals, network: { confirmations: 3 } })
      const { rail, anvil } = treasury
      const order = treasury.order(12_34n)
      assert.deepEqual(await rail.ask(order), { state: 'not_found' })
      assert.deepEqual(await rail.send(order), { ...processing(null), askAgainInMs: 100 })
      await treasury.tick()
      const sent = await rail.ask(order)
      assert.match((sent as { txHash: string }).txHash, /^0x[0-9a-f]{64}$/)
      assert.equal(await treasury.mined((sent as { txHash: string }).txHash), true)
      for (let blocks = 0; blocks < 3; blocks++) {
        await treasury.tick()
        assert.equal((await rail.ask(order)).state, 'processing')
        await anvil.mine(1)
      }
      await treasury.tick()
      const txHash = (sent as { txHash: string }).txHash
      assert.deepEqual(await rail.ask(order), { state: 'completed', providerReference: txHash, txHash })
      assert.deepEqual(await rail.send(order), { state: 'completed', providerReference: txHash, txHash })
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
    await assert.rejects(rail.ask({ ...order, destination: elsewhere }), /taken on local as another one/)
    const other = { ...order.destination, contract_address: randomAddress() } as typeof order.destination
    await assert.rejects(rail.send({ ...treasury.order(5n), destination: other }), /is not the usdc of local/)
    const chain = { ...order.destination, chain: 'base' } as typeof order.destination
    await assert.rejects(rail.send({ ...treasury.order(5n), destination: chain }), /is not for an account of local/)
    const typo = { ...order.destination, address: `0x${'aB'.repeat(20)}` } as typeof order.destination
    await assert.rejects(rail.send({ ...treasury.order(5n), destination: typo }), /is not for an account of local/)
  })

  it('of many at once: each is paid once, by nonces without a gap, whoever pumps', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 1 } })
    const other = sendChore({ ...treasury.parts, chain: openChain(treasury.network) })
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
    const nonces = await treasury.db.query<{ nonce: bigint }>('select nonce from evm_transactions order by nonce')
    assert.deepEqual(
      nonces.map(({ nonce }) => nonce),
      orders.map((_, i) => BigInt(i)),
    )
    const [signed] = await treasury.db.query<{ count: bigint }>('select count(*) as count from evm_broadcasts')
    assert.equal(signed?.count, 20n)
  })

  it('that the token would refuse is not sent and takes no nonce', async (t) => {
    const treasury = await startTreasury(t)
    const { rail } = treasury
    const refused = treasury.order(100n)
    const fine = treasury.order(200n)
    await block(treasury.anvil, treasury.token, 'to', (refused.destination as { address: string }).address)
    await rail.send(refused)
    await rail.send(fine)
    await treasury.tick()
    assert.deepEqual(await rail.ask(refused), { state: 'failed', reason: 'rejected', providerReference: null })
    assert.equal((await finish(treasury, fine)).state, 'completed')
    assert.equal((await treasury.row(fine))?.nonce, 0n)
    assert.deepEqual(await rail.send(refused), { state: 'failed', reason: 'rejected', providerReference: null })
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
        if (behind && !toSelf) throw new WouldRevert('execution reverted: transfer amount exceeds balance')
        return endpoint.gas(call)
      },
    }))
    const chore = sendChore({ ...treasury.parts, chain })
    await treasury.rail.send(order)
    await chore.run()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match((await treasury.trouble()) as string, /cannot be estimated: .* transfer amount exceeds balance/)
    behind = false
    assert.equal((await finish({ ...treasury, tick: () => chore.run() }, order)).state, 'completed')
    assert.equal(await treasury.trouble(), null)
  })

  it('does not hold up others when the node cannot say what it takes', async (t) => {
    const treasury = await startTreasury(t)
    const odd = treasury.order(100n)
    const fine = treasury.order(200n)
    // An invalid instruction is no revert.
    await block(treasury.anvil, treasury.token, 'to', (odd.destination as { address: string }).address, 'fe')
    await treasury.rail.send(odd)
    await treasury.rail.send(fine)
    assert.equal((await finish(treasury, fine)).state, 'completed')
    assert.equal((await treasury.rail.ask(odd)).state, 'processing')
    assert.match((await treasury.trouble()) as string, new RegExp(`payout ${odd.id} cannot be estimated: `))
    await unblock(treasury.anvil, treasury.token)
    assert.equal((await finish(treasury, odd)).state, 'completed')
  })

  it('fails when it reverts in its block, once that is deep', async (t) => {
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
    const state = await finish(treasury, order)
    assert.deepEqual([state.state, (state as { reason: string }).reason], ['failed', 'network_error'])
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
    assert.match((await treasury.trouble()) as string, /^the treasury 0x\w+ holds 0.00 USDT on local; 1.00 needed$/)
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
    const odd = [2_500n, ...Array.from({ length: 19 }, () => 1n)].map((cents) => treasury.order(cents, nobody))
    for (const order of odd) await rail.send(order)
    const fine = treasury.order(200n)
    await rail.send(fine)
    await treasury.tick()
    assert.match((await treasury.trouble()) as string, /cannot be estimated: .*; 17 more on local cannot be estimated$/)
    assert.equal((await finish(treasury, fine)).state, 'completed')
    for (const order of odd) assert.equal((await treasury.row(order))?.status, 'queued')
  })

  it('waits when the node says that it takes more gas than any transfer', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    let gas = 2_000_001n
    const chore = sendChore({ ...treasury.parts, chain: wrapped(treasury.chain, () => ({ gas: async () => gas })) })
    await chore.run()
    assert.deepEqual([(await treasury.row(order))?.status, (await treasury.row(order))?.nonce], ['queued', null])
    assert.equal(
      await treasury.trouble(),
      `payout ${order.id} cannot be estimated: it would take 2000001 gas, and 2000000 is the most that we allow on local`,
    )
    gas = 2_000_000n
    await chore.run()
    assert.equal((await treasury.row(order))?.status, 'sent')
    assert.equal((await finish(treasury, order)).state, 'completed')
  })

  it('waits for what the treasury lacks, says so, and goes on when it is there', async (t) => {
    const treasury = await startTreasury(t, { cents: 12_00n, coins: 0n })
    const { rail, anvil, signer } = treasury
    const order = treasury.order(50_00n)
    const obstacle = async () => (await rail.obstacle?.(order)) ?? null
    assert.equal(await obstacle(), 'no worker that holds the payout key of local has run yet')
    await treasury.tick()
    const lacks = `the treasury ${signer.address} holds 12.00 USDC on local; 50.00 needed`
    assert.equal(await obstacle(), lacks)
    await rail.send(order)
    await treasury.tick()
    assert.equal(await treasury.trouble(), lacks)
    assert.deepEqual(await rail.ask(order), { ...processing(null), askAgainInMs: 100 })
    const state = await treasury.state()
    assert.deepEqual([state?.queued, state?.sent, state?.nativeBalance], [1, 0, 0n])
    assert.deepEqual(state?.tokenBalances, { usdc: 12_000_000n })
    assert.ok(state?.oldestQueuedAt instanceof Date)

    await anvil.mint(treasury.token, signer.address, 50_000_000n)
    await treasury.tick()
    assert.match((await treasury.trouble()) as string, /holds 0 ETH on local; 0\.\d+ ETH needed for gas$/)
    assert.match(
      (await rail.obstacle?.(treasury.order(1_00n))) as string,
      /holds 0 ETH on local; 0\.\d+ ETH needed for gas$/,
    )
    assert.match((await rail.obstacle?.(treasury.order(13_00n))) as string, /holds 62.00 USDC on local; 63.00 needed$/)
    await anvil.fund(signer.address, 10n ** 18n)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.trouble(), null)
    assert.equal(await treasury.received(order), 50_000_000n)

    treasury.clock.advance(300_000)
    assert.match((await rail.obstacle?.(treasury.order(1_00n))) as string, /^local was last read at /)
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
    const hashes = await Promise.all(orders.map(async (order) => (await treasury.row(order))?.status))
    assert.deepEqual(hashes, ['sent', 'queued', 'queued'])
    assert.match((await treasury.trouble()) as string, /holds 100.00 USDC on local; 110.00 needed$/)
    await setTokens(anvil, treasury.token, treasury.signer.address, 120_000_000n)
    await anvil.node.setAutomine(true)
    for (const order of orders) assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await anvil.balance(treasury.token, treasury.signer.address), 0n)
  })
})

describe('a payout that one endpoint says has failed', () => {
  /** What has reverted, deep enough, on a chain whose second and third endpoint can be made to say something else. */
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
    return { treasury, order, others, chore: sendChore({ ...treasury.parts, chain }) }
  }
  const silence = { receipt: () => Promise.reject(new TypeError('gone')) }

  it('is failed at once when there is no other', async (t) => {
    const { treasury, order, chore } = await start(t, 1)
    await chore.run()
    assert.equal((await treasury.rail.ask(order)).state, 'failed')
  })

  it('waits while another does not know it, says that it was paid, or has it in another block', async (t) => {
    const { treasury, order, others, chore } = await start(t, 3)
    const receipt = (hash: string) => treasury.chain.on((endpoint) => endpoint.receipt(hash)) as Promise<never>
    for (const other of [
      async () => null,
      async (hash: string) => ({ ...((await receipt(hash)) as object), success: true }) as never,
      async (hash: string) => ({ ...((await receipt(hash)) as object), blockHash: `0x${'12'.repeat(32)}` }) as never,
    ]) {
      others[2] = { receipt: other }
      await chore.run()
      assert.equal((await treasury.rail.ask(order)).state, 'processing')
      assert.match(
        (await treasury.trouble()) as string,
        /^payout \w+ has failed in block \d+ of local by the word of 2 of 3 endpoints: it waits until all/,
      )
    }
    others[2] = silence
    await chore.run()
    assert.equal((await treasury.rail.ask(order)).state, 'failed')
    assert.equal(await treasury.trouble(), null)
  })

  it('waits while the only other one cannot be reached', async (t) => {
    const { treasury, order, others, chore } = await start(t, 2)
    others[1] = silence
    await chore.run()
    assert.equal((await treasury.rail.ask(order)).state, 'processing')
    assert.match((await treasury.trouble()) as string, /by the word of 1 of 2 endpoints/)
    others[1] = {}
    await chore.run()
    const state = await treasury.rail.ask(order)
    assert.deepEqual([state.state, (state as { reason: string }).reason], ['failed', 'network_error'])
    assert.equal(await treasury.trouble(), null)
  })

  it('asks them all over the real thing', async (t) => {
    const treasury = await startTreasury(t, { rpc: (url) => [url, 'http://127.0.0.1:9/secret-key', `${url}/`] })
    const answers = await treasury.chain.everywhere((endpoint) => endpoint.tip())
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.doesNotMatch(inspect(answers, { depth: 9, showHidden: true }), /secret/)
  })
})

describe('the URL of an endpoint', () => {
  const secret = 'se-cret-key-of-a-provider'

  for (const [what, path] of [
    ['is dead', null],
    ['repeats what it was asked', `/v2/${secret}?apikey=${secret}`],
  ] as const)
    it(`is in no error, trouble or log when it ${what}`, async (t) => {
      let url = `http://127.0.0.1:9/v2/${secret}`
      if (path !== null) {
        const server = createServer((request, response) => {
          response.writeHead(403, { 'content-type': 'text/plain' }).end(`Cannot ${request.method} ${request.url}`)
        }).listen(0, '127.0.0.1')
        t.after(() => server.close())
        await new Promise((resolve) => server.once('listening', resolve))
        url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
      }
      const treasury = await startTreasury(t)
      const { db, clock } = treasury
      const chain = openChain({ ...treasury.network, rpc: [url] })
      const thrown = await chain.on((endpoint) => endpoint.tip()).catch((error: unknown) => error)
      assert.ok(thrown instanceof Error)
      const logged: unknown[] = []
      const write = (...all: unknown[]) => void logged.push(all)
      const parts = { ...treasury.parts, chain, log: { info: write, warn: write, error: write } }
      await treasury.rail.send(treasury.order(100n))
      await sendChore(parts).run()
      const { address } = treasury.signer
      const deposit = () => treasury.signer
      const candidates = async function* () {
        yield [{ address: randomAddress(), index: 0 }]
      }
      const sweeps = sweepChore({ ...parts, treasury: address, deposit, minimum: 1n }, candidates, 1_000)
      await sweeps.run()
      const book = { addresses: async () => [] } as never
      await step({ db, clock, log: parts.log, chain, book, name: 'test' }, newMemory(chain.network))
      const troubles = await db.query<{ trouble: string }>(
        'select trouble from evm_networks union all select trouble from evm_senders',
      )
      assert.equal(troubles.length, 2)
      assert.ok(troubles.every(({ trouble }) => trouble))
      assert.equal(logged.length, 3)
      const all = inspect([thrown, thrown.stack, troubles, logged], { depth: 20, showHidden: true })
      assert.ok(!all.includes(secret), all)
    })
})

describe('a refund', () => {
  it('is not handed to a rail that has an obstacle, and is offered again after a while', async (t) => {
    const server = await startServer()
    t.after(() => server.stop())
    const { app, businessId } = server
    await server.fund('ngn', 1_000_000)
    const rail = app.rails.test.payouts
    const sent: string[] = []
    const { send } = rail
    rail.send = (order) => {
      sent.push(order.id)
      return send(order)
    }
    rail.obstacle = async () => 'the treasury lacks tokens'
    const payment = (await server.call('POST', '/payments', { amount: 100_000, currency: 'ngn' })).data
    await server.call('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed', method: 'card' })
    const { id } = (await server.call('POST', '/refunds', { payment: payment.id })).data
    const settle = refundTasks['refunds.settle'] as Task
    const run = async () => {
      const ctx = { ...app, scope: await scopeOf(app, businessId, false) }
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
    await server.assertBooksClean()
  })
})

/** The rail and the chore of a treasury with other tokens. */
function withTokens({ parts, network }: Treasury, tokens: Treasury['network']['tokens']) {
  const other = { ...parts, chain: openChain({ ...network, tokens }) }
  const chore = sendChore(other)
  return { rail: evmPayoutRail(other), tick: () => chore.run() }
}

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
    assert.deepEqual(state, { state: 'completed', providerReference: high?.hash, txHash: high?.hash })
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
          throw new RpcRequestError({ body: {}, error: { code: -32_000, message: 'intrinsic gas too low' }, url: '' })
        return endpoint.send(raw)
      },
    }))
    const chore = sendChore({ ...treasury.parts, chain })
    const two = { ...treasury, tick: () => chore.run() }
    const order = treasury.order(100n)
    const behind = treasury.order(200n)
    for (const one of [order, behind]) await rail.send(one)
    await chore.run()
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
    for (const { hash } of await treasury.broadcasts(order)) await anvil.node.dropTransaction({ hash })
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.1') })
    await chain.on((endpoint) => endpoint.send(first?.raw as `0x${string}`))
    await anvil.mine(1)
    await treasury.tick()
    assert.equal(((await rail.ask(order)) as { txHash: string }).txHash, first?.hash)
    const state = await finish(treasury, order)
    assert.deepEqual(state, { state: 'completed', providerReference: first?.hash, txHash: first?.hash })
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
    assert.match(trouble, /nonce 0 of 0x\w+, is not mined at 5000000000 wei for gas, the most that max_fee_gwei allows/)
    assert.match(trouble, /gas on local costs \d+ wei; max_fee_gwei allows 5000000000/)
    assert.equal((await treasury.row(late))?.nonce, null)
    await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
    await anvil.mine(1)
    for (const one of [order, late]) assert.equal((await finish(treasury, one)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
  })

  it('is raised by what nodes want at least', () => {
    const fees = (max: bigint, priority: bigint) => ({ maxFeePerGas: max, maxPriorityFeePerGas: priority })
    assert.deepEqual(dearer(fees(100n, 10n), fees(50n, 5n), 1_000n), fees(113n, 12n))
    assert.deepEqual(dearer(fees(100n, 0n), fees(500n, 5n), 1_000n), fees(500n, 5n))
    assert.deepEqual(dearer(fees(100n, 0n), fees(50n, 0n), 110n), fees(110n, 1n))
    assert.equal(dearer(fees(100n, 0n), fees(500n, 5n), 109n), null)
    assert.deepEqual(dearer(fees(100n, 99n), fees(50n, 0n), 112n), fees(112n, 112n))
  })
})

describe('a sender that dies', () => {
  for (const place of ['signed', 'stored', 'sent'])
    it(`pays once when it is killed as soon as a payout is ${place}`, async (t) => {
      const treasury = await startTreasury(t)
      const orders = [treasury.order(100n), treasury.order(200n)]
      for (const order of orders) await treasury.rail.send(order)
      const { anvil, database, token, key } = treasury
      const input = JSON.stringify({ url: anvil.url, databaseUrl: database.url, token, key, place })
      const script = new URL('../../../test/treasury-killed.ts', import.meta.url).pathname
      const child = spawn(process.execPath, [script, input], { stdio: ['ignore', 'inherit', 'inherit'] })
      const signal = await new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)))
      assert.equal(signal, 'SIGKILL')
      const before = await treasury.db.query<{ hash: string }>('select hash from evm_broadcasts')
      assert.equal(before.length, place === 'signed' ? 0 : 2)
      for (const order of orders) {
        assert.equal((await finish(treasury, order)).state, 'completed')
        assert.equal(await treasury.received(order), order.amount * 10_000n)
      }
      const after = await treasury.db.query<{ hash: string }>('select hash from evm_broadcasts')
      assert.equal(after.length, 2)
      assert.equal(await anvil.node.getTransactionCount({ address: treasury.signer.address }), 2)
    })

  it('signs anew when what it signed was never stored, and stores nothing that another has overtaken', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    // Another process does all of it between the signature and the commit of this one.
    let first = true
    const slow = sendChore({
      ...treasury.parts,
      signer: {
        ...treasury.signer,
        async sign(transaction) {
          const raw = await treasury.signer.sign({ ...transaction, maxFeePerGas: transaction.maxFeePerGas + 1n })
          if (first) await treasury.tick()
          first = false
          return raw
        },
      },
    })
    await slow.run()
    assert.equal((await treasury.broadcasts(order)).length, 1)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
  })

  it('stores nothing when the nonce was taken meanwhile', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    const slow = sendChore({
      ...treasury.parts,
      signer: {
        ...treasury.signer,
        async sign(transaction) {
          await treasury.db.query('update evm_senders set next_nonce = next_nonce + 1')
          return treasury.signer.sign(transaction)
        },
      },
    })
    await slow.run()
    assert.deepEqual(await treasury.broadcasts(order), [])
    assert.equal(await treasury.anvil.node.getTransactionCount({ address: treasury.signer.address }), 0)
  })
})

describe('the chain below a payout', () => {
  it('may drop its block: it is sent again, and paid once', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 4 } })
    const { anvil, rail } = treasury
    const orders = [treasury.order(100n), treasury.order(200n)]
    // Both can be mined in one block: what is taken back must not reach the block that filled the treasury.
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
    const deaf = sendChore({ ...treasury.parts, chain: wrapped(treasury.chain, () => ({ send: async () => {} })) })
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
    await treasury.chain.on(async (endpoint) => endpoint.send(await signer.sign({ ...foreign, nonce: 1 })))
    await rail.send(next)
    assert.equal((await finish(treasury, next)).state, 'completed')
    assert.equal((await treasury.row(next))?.nonce, 2n)
    assert.match(treasury.told.join('\n'), /somebody else has sent from the treasury: its next nonce was 2, not 1/)
    assert.equal(await treasury.received(next), 3_000_000n)

    assert.equal(await giveUp(treasury.parts, next.id), false)
    assert.equal(await giveUp(treasury.parts, order.id), true)
    const state = await rail.ask(order)
    assert.deepEqual([state.state, (state as { reason: string }).reason], ['failed', 'network_error'])
    await treasury.tick()
    assert.equal(await treasury.trouble(), null)
    assert.equal(await treasury.received(order), 0n)
  })

  it('may be reset: nothing is signed behind a gap', async (t) => {
    const treasury = await startTreasury(t)
    const first = treasury.order(100n)
    await treasury.rail.send(first)
    await finish(treasury, first)
    await treasury.anvil.node.setNonce({ address: treasury.signer.address, nonce: 0 }).catch(() => {})
    await treasury.db.query('update evm_senders set next_nonce = 5')
    const second = treasury.order(200n)
    await treasury.rail.send(second)
    await treasury.tick()
    assert.match((await treasury.trouble()) as string, /the node is behind, the chain was reset/)
    assert.equal((await treasury.row(second))?.nonce, null)
  })

  it('is reached over the next URL when the first is dead, and never when it is another chain', async (t) => {
    const treasury = await startTreasury(t, { rpc: (url) => ['http://127.0.0.1:9/secret-key', url] })
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    assert.equal((await finish(treasury, order)).state, 'completed')

    const dead = sendChore({
      ...treasury.parts,
      chain: openChain({ ...treasury.network, rpc: ['http://127.0.0.1:9/secret-key'] }),
    })
    const waiting = treasury.order(200n)
    await treasury.rail.send(waiting)
    await dead.run()
    const trouble = (await treasury.trouble()) as string
    assert.match(trouble, /^local cannot be worked with: /)
    assert.doesNotMatch(trouble, /secret/)
    const wrong = sendChore({
      ...treasury.parts,
      chain: openChain({ ...treasury.network, rpc: [treasury.anvil.url], chain_id: 1 }),
    })
    await wrong.run()
    assert.match((await treasury.trouble()) as string, /is chain 31337, not 1/)
    assert.equal((await treasury.row(waiting))?.nonce, null)
    assert.equal((await finish(treasury, waiting)).state, 'completed')
    assert.equal((await senderStates(treasury.db)).length, 1)
  })

  it('may refuse what it is handed: it is handed it again', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    const broken = wrapped(treasury.chain, () => ({
      send: async () => {
        throw new TypeError('socket hang up')
      },
    }))
    await sendChore({ ...treasury.parts, chain: broken }).run()
    assert.match((await treasury.trouble()) as string, /socket hang up/)
    assert.equal((await finish(treasury, order)).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
    assert.equal((await treasury.broadcasts(order)).length, 1)
  })
})

describe('the key of a treasury', () => {
  it('may change: what it signed goes to its end, and what waits is signed by the next one', async (t) => {
    const treasury = await startTreasury(t)
    const { anvil, rail, token } = treasury
    const signed = treasury.order(100n)
    const waiting = treasury.order(200n)
    await anvil.node.setAutomine(false)
    await rail.send(signed)
    await treasury.tick()
    await rail.send(waiting)
    const signer = signerOf(generatePrivateKey())
    const next = sendChore({ ...treasury.parts, signer })
    await next.run()
    assert.equal(
      await rail.obstacle?.(treasury.order(1n)),
      `the treasury ${signer.address} holds 0.00 USDC on local; 2.01 needed`,
    )
    await anvil.fund(signer.address, 10n ** 18n)
    await setTokens(anvil, token, signer.address, 5_000_000n)
    await anvil.node.setAutomine(true)
    for (let round = 0; round < 6; round++) {
      await next.run()
      await anvil.mine(1)
    }
    for (const order of [signed, waiting]) {
      assert.equal((await rail.ask(order)).state, 'completed')
      assert.equal(await treasury.received(order), order.amount * 10_000n)
    }
    assert.equal(await anvil.balance(token, signer.address), 3_000_000n)
  })
})

describe('whatever happens', () => {
  for (const seed of [1, 2, 3])
    it(`every payout is paid once, or fails unpaid (${seed})`, async (t) => {
      const treasury = await startTreasury(t, { network: { confirmations: 4, stuckMs: 1_000 } })
      const { anvil, rail, clock } = treasury
      let state = seed
      const chance = (of: number): boolean => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return (state >> 8) % 100 < of
      }
      const failing = (where: string): void => {
        if (chance(8)) throw new TypeError(`${where} failed`)
      }
      const pump = () =>
        sendChore({
          ...treasury.parts,
          signer: {
            ...treasury.signer,
            async sign(transaction) {
              failing('the signer')
              return treasury.signer.sign(transaction)
            },
          },
          chain: wrapped(openChain(treasury.network), (endpoint) => ({
            async send(raw) {
              failing('sending')
              await endpoint.send(raw)
              failing('the answer')
            },
            async receipt(hash) {
              failing('the receipt')
              return chance(5) ? null : endpoint.receipt(hash)
            },
          })),
        })
      const pumps = [pump(), pump()]
      const orders = Array.from({ length: 24 }, (_, i) => treasury.order(BigInt(i + 1)))
      const refused = orders[7] as (typeof orders)[0]
      await block(anvil, treasury.token, 'to', (refused.destination as { address: string }).address)
      // Reorganisations do not reach the treasury's own tokens.
      await anvil.mine(5)
      await anvil.node.setAutomine(false)
      for (const [i, order] of orders.entries()) {
        await rail.send(order)
        if (i % 3 !== 0) continue
        await Promise.all(pumps.map((one) => one.run()))
        if (chance(40)) await anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(chance(50) ? '3' : '1') })
        if (chance(70)) await anvil.mine(1)
        if (chance(40)) await anvil.reorg(2)
        clock.advance(700)
      }
      await anvil.node.setAutomine(true)
      for (let round = 0; round < 60; round++) {
        await Promise.all(pumps.map((one) => one.run()))
        await anvil.mine(1)
        clock.advance(700)
        const states = await Promise.all(orders.map((order) => rail.ask(order)))
        if (states.every((one) => one.state === 'completed' || one.state === 'failed')) break
      }
      for (const order of orders) {
        const { state } = await rail.ask(order)
        assert.equal(state, order === refused ? 'failed' : 'completed', `${order.amount}: ${await treasury.trouble()}`)
        assert.equal(await treasury.received(order), order === refused ? 0n : order.amount * 10_000n)
      }
      const count = await anvil.node.getTransactionCount({ address: treasury.signer.address })
      assert.equal(count, 23)
    })
})
