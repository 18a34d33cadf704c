import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  alsoOurs,
  anvil,
  begin,
  bookOf,
  clock,
  confirmations,
  db,
  deposits,
  height,
  networkOf,
  only,
  ours,
  proxy,
  run,
  send,
  stateOf,
  usdc,
  type Watch,
  watchOf,
} from '../../../test/support/watching.ts'
import { step } from './watcher.ts'

describe('the watcher of a network', () => {
  describe('keeps its cursor', () => {
    it('reads a long way back in ranges, and is killed in the middle of it', async () => {
      const start = (await height()) + 1n
      const hashes = []
      for (let i = 0; i < 12; i++) {
        hashes.push(await send(usdc, 0, i % 2 ? ours : alsoOurs, BigInt(i + 1)))
        await anvil.mine(25)
      }
      const network = networkOf({ startBlock: start, maxRange: 40 })
      let steps = 0
      for (;;) {
        // Every other watcher dies after it has told the book and before it commits.
        const dies = steps++ % 2 === 0
        const book = bookOf()
        const watch = watchOf(network, {
          async recordTransfers(tx, network, transfers) {
            const fresh = await book.recordTransfers(tx, network, transfers)
            if (dies) throw new Error('killed')
            return fresh
          },
        })
        const { more } = await step(watch, watch.memory).catch(() => ({ more: true }))
        if (!more) break
        assert.ok(steps < 100)
      }
      const found = await deposits(watchOf(network))
      assert.deepEqual(
        found.map(({ tx_hash }) => tx_hash),
        hashes,
      )
      assert.deepEqual(new Set(found.map(({ credits }) => credits)), new Set([1]))
    })

    it('catches up after it was down', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1n)
      await anvil.mine(300)
      await send(usdc, 0, ours, 2n)
      await run(watch)
      assert.deepEqual(
        (await deposits(watch)).map(({ units, status }) => [units, status]),
        [
          ['1', 'credited'],
          ['2', 'pending'],
        ],
      )
    })

    it('lets two watchers read at once, credits once and leaves nothing out', async () => {
      const start = (await height()) + 1n
      const network = networkOf({ startBlock: start, maxRange: 10 })
      // The same name: the lease keeps neither from reading, only the cursor does.
      const [one, two] = [watchOf(network), watchOf(network)]
      const hashes: string[] = []
      const chainMoves = (async () => {
        for (let i = 0; i < 20; i++) {
          hashes.push(await send(usdc, 0, ours, BigInt(i + 1)))
          await anvil.mine(i % 7 === 0 ? 40 : 2)
        }
        await anvil.mine(confirmations)
      })()
      let moving = true
      chainMoves.finally(() => {
        moving = false
      })
      const watching = [one, two].map(async (watch) => {
        while (moving) await run(watch)
        for (let i = 0; i < 3; i++) await run(watch)
      })
      await Promise.all([chainMoves, ...watching])
      const found = await deposits(one)
      assert.deepEqual(
        found.map(({ tx_hash }) => tx_hash),
        hashes,
      )
      assert.deepEqual(new Set(found.map(({ credits }) => credits)), new Set([1]))
    })

    it('spares the others the calls, and is followed by another when it does not come back', async () => {
      const watch = await begin()
      const provider = await proxy(() => undefined)
      const other = { ...watchOf({ ...watch.chain.network, rpc: [provider.url] }, {}, 'two') }
      assert.equal((await step(other, other.memory)).result, 'elsewhere')
      assert.equal(provider.requests, 0)
      clock.advance(10_000)
      await run(watch)
      clock.advance(10_000)
      assert.equal((await step(other, other.memory)).result, 'elsewhere')
      clock.advance(6_000)
      assert.equal((await step(other, other.memory)).result, 'done')
      assert.equal((await stateOf(watch)).leased_by, 'two')
      assert.equal((await step(watch, watch.memory)).result, 'elsewhere')
    })

    it('throws away what it read when the cursor has moved', async () => {
      const network = networkOf()
      const book = bookOf()
      let other: Watch | null = null
      const watch = watchOf(network, {
        async addresses(livemode, limit) {
          const moved = other
          other = null
          if (moved) await run(moved)
          return book.addresses(livemode, limit)
        },
      })
      await run(watch)
      await send(usdc, 0, ours, 1n)
      other = watchOf(network)
      assert.equal((await step(watch, watch.memory)).result, 'elsewhere')
      assert.equal((await deposits(watch)).length, 1)
    })

    it('keeps no more blocks than it needs', async () => {
      const watch = await begin()
      for (const blocks of [100, 100, 100, 20, 20]) {
        await anvil.mine(blocks)
        await run(watch)
      }
      const [kept] = await db.query<{ n: bigint; top: bigint }>(
        'select count(*) as n, max(number) as top from evm_blocks where network = $1',
        [watch.chain.network.id],
      )
      assert.deepEqual([kept?.n, kept?.top], [256n, await height()])
    })

    it('says so when a transfer cannot be recorded, and credits what was recorded all the same', async () => {
      const book = bookOf()
      const watch = await begin(
        {},
        {
          recordTransfers: (tx, network, transfers) =>
            transfers.some(({ units }) => units === 13n)
              ? Promise.reject(new Error('no room'))
              : book.recordTransfers(tx, network, transfers),
        },
      )
      await send(usdc, 0, ours, 1n)
      await run(watch)
      await send(usdc, 0, ours, 13n)
      await anvil.mine(confirmations)
      await assert.rejects(step(watch, watch.memory), /no room/)
      assert.equal((await stateOf(watch)).trouble, 'on our side: no room')
      await assert.rejects(step(watch, watch.memory), /no room/)
      assert.equal((await only(watch)).status, 'credited')
    })
  })
})
