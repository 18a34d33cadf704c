import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { describe, it } from 'node:test'
import {
  anvil,
  begin,
  clock,
  confirmations,
  db,
  deposits,
  height,
  lines,
  networkOf,
  only,
  ours,
  proxy,
  run,
  send,
  servers,
  stateOf,
  stranger,
  usdc,
  usdt,
  watchOf,
  widthOf,
} from '../../../test/support/watching.ts'
import { openChain } from './chain.ts'
import { evmMeasures, evmStates } from './evm.ts'
import { resume, watchTask } from './watcher.ts'

describe('the watcher of a network', () => {
  describe('copes with providers', () => {
    const wordings = [
      {
        code: -32_005,
        message: 'query returned more than 10000 results. Try with this block range [0x1, 0x2].',
      },
      {
        code: -32_602,
        message: 'Log response size exceeded. this block range should work: [0x1, 0x2]',
      },
    ]
    for (const error of wordings)
      it(`halves a range that is refused with "${error.message.slice(0, 45)}…"`, async () => {
        const start = (await height()) + 1n
        for (let i = 0; i < 4; i++) {
          await send(usdc, 0, ours, BigInt(i + 1))
          await anvil.mine(30)
        }
        const provider = await proxy((request) =>
          request.method === 'eth_getLogs' && widthOf(request) > 10 ? { error } : undefined,
        )
        const watch = await begin({ startBlock: start, rpc: [provider.url], maxRange: 1_000 })
        assert.deepEqual(
          (await deposits(watch)).map(({ credits }) => credits),
          [1, 1, 1, 1],
        )
        assert.equal((await stateOf(watch)).trouble, null)
        const refused = provider.calls.filter(
          (call) => call.method === 'eth_getLogs' && widthOf(call) > 10,
        )
        assert.ok(refused.length <= 5, `${refused.length} ranges were refused`)
      })

    it('goes down to single blocks, and fails where even that is too much', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(80)
      const error = { code: -32_005, message: 'query returned more than 10000 results' }
      const provider = await proxy((request) =>
        request.method === 'eth_getLogs' && widthOf(request) > 1 ? { error } : undefined,
      )
      const watch = await begin({ startBlock: start, rpc: [provider.url] })
      assert.equal((await only(watch)).status, 'credited')
      const stuck = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      provider.rule = (request) => (request.method === 'eth_getLogs' ? { error } : undefined)
      assert.equal(await run(stuck), 'failed')
      assert.match((await stateOf(stuck)).trouble ?? '', /more than 10000/)
    })

    it('does not take being asked too often for a range that is too wide', async () => {
      const start = (await height()) + 1n
      await anvil.mine(200)
      const provider = await proxy((request) =>
        request.method === 'eth_getLogs'
          ? {
              error: {
                code: 429,
                message: 'Your app has exceeded its compute units per second capacity',
              },
            }
          : undefined,
      )
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url, anvil.url] }))
      await run(watch)
      assert.equal((await stateOf(watch)).block_number, await height())
      assert.equal(provider.calls.filter(({ method }) => method === 'eth_getLogs').length, 1)
    })

    it('reads everything through one that fails now and then', async () => {
      await anvil.mine(70)
      const start = (await height()) + 1n
      for (let i = 0; i < 6; i++) {
        await send(usdc, 0, ours, BigInt(i + 1))
        await anvil.mine(20)
      }
      let n = 0
      const provider = await proxy(() =>
        ++n % 37 === 0 ? { error: { code: -32_603, message: 'Internal error' } } : undefined,
      )
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url], maxRange: 20 }))
      let failures = 0
      for (let i = 0; i < 40; i++) if ((await run(watch)) === 'failed') failures++
      assert.ok(failures > 0)
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1, 1, 1, 1, 1, 1],
      )
      assert.equal((await stateOf(watch)).halted, null, 'a node in trouble is no wrong chain')
    })

    it('waits for one that is behind, and says so when it lasts', async () => {
      let [lag, top] = [0n, await height()]
      const provider = await proxy((request) => {
        if (request.method !== 'eth_getBlockByNumber') return
        const params = request.params
        if (params[0] === 'latest') params[0] = `0x${(top - lag).toString(16)}`
        else if (BigInt(params[0]) > top - lag) return { result: null }
      })
      const watch = await begin({ rpc: [provider.url] })
      await send(usdc, 0, ours, 1n)
      await anvil.mine(confirmations)
      top = await height()
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
      lag = 2n
      assert.equal(await run(watch), 'waiting')
      assert.equal((await stateOf(watch)).trouble, null)
      assert.equal((await stateOf(watch)).block_number, top)
      clock.advance(31_000)
      assert.equal(await run(watch), 'waiting')
      assert.match(
        (await stateOf(watch)).trouble ?? '',
        /does not have block \d+, which was read before/,
      )
      lag = 0n
      assert.equal(await run(watch), 'done')
      assert.equal((await stateOf(watch)).trouble, null)
    })

    it('goes over to the second URL when the answers of the first one do not fit together', async () => {
      const provider = await proxy(() => undefined)
      const watch = await begin({ rpc: [provider.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      await anvil.mine(confirmations)
      await watch.chain.on(async (endpoint) => {
        const { block } = endpoint
        endpoint.block = async (number) => {
          const there = await block(number)
          return there && { ...there, parentHash: `0x${'77'.repeat(32)}` }
        }
      })
      assert.equal(await run(watch), 'waiting')
      assert.equal((await stateOf(watch)).trouble, null)
      clock.advance(31_000)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'credited')
    })

    it('does not believe an empty answer of one that lacks the blocks', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(200)
      const top = await height()
      const provider = await proxy((request) => {
        if (request.method === 'eth_getLogs') return { result: [] }
        const [first] = request.params
        if (
          request.method === 'eth_getBlockByNumber' &&
          first?.startsWith('0x') &&
          BigInt(first) > top - 150n
        )
          return { result: null }
      })
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      assert.equal(await run(watch), 'waiting')
      provider.rule = () => undefined
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
    })

    for (const second of [false, true])
      it(`finds what an empty answer left out when it reads again${second ? ', at the other URL' : ''}`, async () => {
        let empty = true
        const provider = await proxy(({ method }) =>
          method === 'eth_getLogs' && empty ? { result: [] } : undefined,
        )
        const watch = await begin({ rpc: second ? [provider.url, anvil.url] : [provider.url] })
        const hash = await send(usdc, 0, ours, 1_000_000n)
        await run(watch)
        empty = second
        await anvil.mine(70)
        await run(watch)
        assert.deepEqual(await deposits(watch), [])
        clock.advance(61_000)
        await run(watch)
        assert.partialDeepStrictEqual(await only(watch), {
          status: 'credited',
          credits: 1,
          tx_hash: hash,
        })
        const said = () =>
          lines.filter(
            ({ level, fields }) => level === 'error' && fields.network === watch.chain.network.id,
          )
        assert.deepEqual(
          said().map(({ fields, message }) => [
            fields.deposits,
            /missing from the first reading/.test(message),
          ]),
          [[1, true]],
        )
        empty = false
        await send(usdc, 0, ours, 2_000_000n)
        await run(watch)
        await anvil.mine(70)
        clock.advance(61_000)
        await run(watch)
        assert.deepEqual(
          (await deposits(watch)).map(({ status, credits }) => [status, credits]),
          [
            ['credited', 1],
            ['credited', 1],
          ],
        )
        assert.equal(said().length, 1)
      })

    it('does not believe one behind which some nodes lack the blocks that others have', async () => {
      const start = (await height()) + 1n
      await send(usdc, 0, ours, 1n)
      await anvil.mine(200)
      const top = await height()
      let lacking = false
      const provider = await proxy(({ method, params }) => {
        if (method === 'eth_getLogs') lacking = true
        else if (params[0] === 'latest') lacking = false
        if (method === 'eth_getLogs') return { result: [] }
        if (lacking && method === 'eth_getBlockByNumber' && BigInt(params[0]) > top - 150n)
          return { result: null }
      })
      const watch = watchOf(networkOf({ startBlock: start, rpc: [provider.url] }))
      assert.equal(await run(watch), 'waiting')
      provider.rule = () => undefined
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
    })

    it('goes over to the second URL when the first one dies', async () => {
      const first = await proxy(() => undefined)
      const watch = await begin({ rpc: [first.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      const server = servers.pop() as Server
      server.closeAllConnections()
      server.close()
      await anvil.mine(confirmations)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'credited')
    })

    it('goes over to the second URL when the first one stands still', async () => {
      const top = await height()
      const frozen = await proxy((request) => {
        const params = request.params
        if (request.method === 'eth_getBlockByNumber' && params[0] === 'latest')
          params[0] = `0x${top.toString(16)}`
        return undefined
      })
      const watch = await begin({ rpc: [frozen.url, anvil.url] })
      await send(usdc, 0, ours, 1n)
      await run(watch)
      assert.deepEqual(await deposits(watch), [])
      clock.advance(121_000)
      await run(watch)
      assert.equal((await only(watch)).status, 'pending')
    })

    it('is named when the only one stands still, where a chain never does', async () => {
      const known = await begin({ id: 'base-sepolia' })
      const own = await begin()
      const evm = { settings: { test: null, live: null }, chains: [known.chain, own.chain] }
      const said = async () =>
        (await evmStates(evm, db, clock.now())).warnings.map((warning) => warning.said)
      const since = clock.now()
      clock.advance(240_000)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [])
      clock.advance(360_000)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [
        `base-sepolia shows no new block since ${since.toISOString()}: its RPC may have stopped`,
      ])
      const measured = evmMeasures(await evmStates(evm, db, clock.now()), evm)
      const tipAt = measured.find(
        ({ name, labels }) => name === 'evm_tip_seconds' && labels.network === 'base-sepolia',
      )
      assert.equal(tipAt?.value, since.getTime() / 1_000)
      await anvil.mine(1)
      for (const watch of [known, own]) await run(watch)
      assert.deepEqual(await said(), [])
    })

    it('says what is wrong without the URL, waits longer each time, and is well again by itself', async () => {
      const provider = await proxy(() => undefined)
      const parts = await begin({ rpc: [provider.url] })
      const task = watchTask(parts)
      assert.deepEqual([task.name, task.everyMs], [`watch ${parts.chain.network.id}`, 1_000])
      let wakeUps = 0
      task.wakeUp.on('notify', () => wakeUps++)
      provider.rule = () => ({
        error: { code: -32_000, message: `no upstream at ${provider.url}` },
      })
      await task.run()
      assert.match((await stateOf(parts)).trouble ?? '', /no upstream at a URL/)
      const { requests } = provider
      await task.run()
      assert.equal(provider.requests, requests, 'it backs off')
      clock.advance(2_001)
      await task.run()
      assert.ok(provider.requests > requests)
      provider.rule = () => undefined
      clock.advance(60_001)
      await anvil.mine(40)
      await task.run()
      assert.equal(wakeUps, 1)
      await task.run()
      assert.equal(wakeUps, 1)
      assert.equal((await stateOf(parts)).trouble, null)
      const logged = JSON.stringify(lines, (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      )
      assert.ok(logged.includes('has trouble') && !logged.includes('secret-key'))
    })

    it('keeps answers of a batch apart when one is left out', async () => {
      const provider = await proxy(() => undefined)
      const chain = openChain(networkOf({ rpc: [provider.url] }))
      const top = await height()
      const missing = `0x${(top - 1n).toString(16)}`
      provider.rule = ({ params }) =>
        params[0] === missing ? ({ id: -1, result: null } as never) : undefined
      await chain.on(async (endpoint) => {
        const [first, second, third] = await Promise.allSettled(
          [top - 2n, top - 1n, top].map((n) => endpoint.block(n)),
        )
        assert.equal(first?.status === 'fulfilled' && first.value?.number, top - 2n)
        assert.match(String(second?.status === 'rejected' && second.reason), /answered in part/)
        assert.equal(third?.status === 'fulfilled' && third.value?.number, top)
      })
    })
  })

  describe('stops at what is not the chain', () => {
    it('with another chain id', async () => {
      const network = networkOf({ chain_id: 1 })
      const watch = watchOf(network)
      assert.equal(await run(watch), 'halted')
      assert.match((await stateOf(watch)).halted ?? '', /is chain 31337, not 1/)
      assert.equal(await run(watch), 'halted')
      assert.equal((await stateOf(watch)).block_number, null)
    })

    it('with other decimals, until a later start finds them right', async () => {
      const network = networkOf()
      const wrong = { ...network, tokens: { usdc: { contract_address: usdt, decimals: 6 } } }
      assert.equal(await run(watchOf(wrong)), 'halted')
      assert.match(
        (await stateOf(watchOf(wrong))).halted ?? '',
        /usdc at 0x\w+ has 18 decimals there, not 6/,
      )
      assert.equal(await run(watchOf(wrong)), 'halted')
      const right = watchOf(network)
      assert.equal(await run(right), 'done')
      assert.equal((await stateOf(right)).halted, null)
    })

    it('with no contract at the address', async () => {
      const watch = watchOf(
        networkOf({ tokens: { usdc: { contract_address: stranger, decimals: 6 } } }),
      )
      assert.equal(await run(watch), 'halted')
      assert.ok(await resume(db, watch.chain.network.id))
      assert.equal(await run(watch), 'halted', 'it is checked again')
    })

    it('also when only the second URL is another chain', async () => {
      const first = await proxy(() => undefined)
      const second = await proxy(({ method }) =>
        method === 'eth_chainId' ? { result: '0x5' } : undefined,
      )
      const watch = await begin({ rpc: [first.url, second.url] })
      first.rule = () => ({ error: { code: -32_000, message: 'down' } })
      assert.equal(await run(watch), 'halted')
      assert.match((await stateOf(watch)).halted ?? '', /is chain 5/)
    })

    it('but not at a node that is in trouble while it is checked', async () => {
      const provider = await proxy((request) =>
        request.method === 'eth_call'
          ? { error: { code: -32_603, message: 'Internal error' } }
          : undefined,
      )
      const watch = watchOf(networkOf({ rpc: [provider.url] }))
      assert.equal(await run(watch), 'failed')
      provider.rule = () => undefined
      assert.equal(await run(watch), 'done')
    })
  })
})
