import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  alsoOurs,
  anvil,
  begin,
  confirmations,
  db,
  deposits,
  height,
  lines,
  only,
  ours,
  proxy,
  run,
  send,
  stateOf,
  usdc,
  type Watch,
} from '../../../test/support/watching.ts'
import { newMemory, resume, step } from './watcher.ts'

describe('the watcher of a network', () => {
  describe('notices reorganisations', () => {
    it('drops a deposit whose block is gone, and credits it once when it is mined again in another block', async () => {
      const watch = await begin()
      const hash = await send(usdc, 0, ours, 1_000_000n)
      const raw = await anvil.node.request({
        method: 'eth_getRawTransactionByHash',
        params: [hash],
      } as never)
      await run(watch)
      await anvil.reorg(1)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      await anvil.mine(confirmations + 2)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      const before = (await only(watch)).block_number
      await anvil.node.request({ method: 'eth_sendRawTransaction', params: [raw] } as never)
      await run(watch)
      assert.equal((await only(watch)).status, 'pending')
      await anvil.mine(confirmations)
      await run(watch)
      const last = await only(watch)
      assert.partialDeepStrictEqual(last, { status: 'credited', credits: 1, tx_hash: hash })
      assert.ok(last.block_number > before)
    })

    it('holds a due deposit against the chain before it is credited', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations - 1)
      await run(watch)
      await anvil.reorg(confirmations)
      await anvil.mine(1)
      // The chain is deep enough by number; reading fails, so that only crediting looks.
      const blind: Watch = { ...watch, chain: { ...watch.chain } }
      let calls = 0
      blind.chain.on = (work) =>
        calls++ === 0 ? Promise.reject(new Error('down')) : watch.chain.on(work)
      await db.query('update evm_networks set tip = tip + 1 where network = $1', [
        watch.chain.network.id,
      ])
      await step(blind, blind.memory)
      assert.equal(calls, 2)
      assert.equal((await only(watch)).status, 'pending')
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
    })

    it('counts confirmations at the endpoint that it asks, not by what another has said', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations - 1)
      await run(watch)
      const known: Watch = { ...watch, chain: { ...watch.chain } }
      let calls = 0
      known.chain.on = (work) =>
        calls++ === 0 ? Promise.reject(new Error('down')) : watch.chain.on(work)
      await db.query('update evm_networks set tip = tip + 10 where network = $1', [
        watch.chain.network.id,
      ])
      await step(known, known.memory)
      assert.equal(calls, 2)
      assert.equal((await only(watch)).status, 'pending')
    })

    it('notices one that happened while it was down for long', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await run(watch)
      await anvil.reorg(1)
      await anvil.mine(200)
      await run(watch)
      assert.equal((await only(watch)).status, 'dropped')
      assert.equal((await stateOf(watch)).block_number, await height())
    })

    it('stops when a deposit that was credited is gone, and takes nothing back', async () => {
      const watch = await begin()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(confirmations)
      await run(watch)
      assert.equal((await only(watch)).status, 'credited')
      await anvil.reorg(confirmations + 1)
      assert.equal(await run(watch), 'halted')
      assert.match(
        (await stateOf(watch)).halted ?? '',
        /reorganised above block \d+, deeper than what was credited/,
      )
      assert.ok(lines.some(({ level, message }) => level === 'error' && /stopped/.test(message)))
      assert.partialDeepStrictEqual(await only(watch), { status: 'credited', credits: 1 })
      await send(usdc, 0, alsoOurs, 2_000_000n)
      await anvil.mine(confirmations)
      assert.equal(
        await run({ ...watch, memory: newMemory(watch.chain.network) }),
        'halted',
        'also after a restart',
      )
      assert.ok(await resume(db, watch.chain.network.id))
      assert.equal(await run(watch), 'done')
      assert.deepEqual(
        (await deposits(watch)).map(({ credits }) => credits),
        [1, 1],
      )
    })

    it('stops when the chain has left every block that was kept, and goes on from where a person says', async () => {
      const watch = await begin()
      await db.query(`update evm_blocks set hash = 'other' where network = $1`, [
        watch.chain.network.id,
      ])
      await db.query(`update evm_networks set block_hash = 'other' where network = $1`, [
        watch.chain.network.id,
      ])
      const start = await height()
      await send(usdc, 0, ours, 1_000_000n)
      assert.equal(await run(watch), 'halted')
      assert.match((await stateOf(watch)).halted ?? '', /below block \d+, the lowest that was kept/)
      assert.ok(await resume(db, watch.chain.network.id, start - 2n))
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'pending')
      assert.equal(await resume(db, 'nowhere'), false)
    })

    it('finds its way when the chain reorganises right after the very first step', async () => {
      const watch = await begin()
      await anvil.reorg(2)
      await send(usdc, 0, ours, 1_000_000n)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'pending')
    })

    it('takes a chain that has become shorter for an endpoint that is behind, until it is longer again', async () => {
      const watch = await begin()
      const snapshot = await anvil.node.snapshot()
      await send(usdc, 0, ours, 1_000_000n)
      await anvil.mine(1)
      await run(watch)
      await anvil.node.revert({ id: snapshot })
      assert.equal(await run(watch), 'waiting')
      assert.equal((await only(watch)).status, 'pending')
      await anvil.mine(3)
      assert.equal(await run(watch), 'done')
      assert.equal((await only(watch)).status, 'dropped')
    })

    it('looks again when the chain changes between the blocks and their transfers', async () => {
      let reorganise = false
      const provider = await proxy(() => undefined)
      const watch = await begin(
        { rpc: [provider.url] },
        {
          async addresses() {
            if (reorganise) await anvil.reorg(1)
            reorganise = false
            return [ours]
          },
        },
      )
      await send(usdc, 0, ours, 1_000_000n)
      reorganise = true
      assert.equal((await step(watch, watch.memory)).result, 'waiting')
      assert.equal((await stateOf(watch)).trouble, null)
      assert.equal(await run(watch), 'done')
      assert.deepEqual(await deposits(watch), [])
    })
  })
})
