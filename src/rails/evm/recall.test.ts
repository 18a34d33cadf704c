import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseGwei } from 'viem'
import { until } from '../../../test/support/harness.ts'
import { finish, startTreasury, type Treasury } from '../../../test/support/treasury.ts'
import type { PayoutOrder } from '../ports/rail.ts'
import { openChain } from './chain.ts'
import { evmPayoutRail, sendTask } from './sender.ts'

/** What the treasury's worker has read of gas is above every cap, whatever the chain says now. */
const raiseKnownFee = ({ db }: Treasury) => db.query('update evm_senders set least_fee = 10 ^ 15')
const again = (order: PayoutOrder): PayoutOrder => ({ ...order, attempt: order.attempt + 1 })

describe('an order above the highest fee', () => {
  const startExpensive = async (...[t]: Parameters<typeof startTreasury>) => {
    const treasury = await startTreasury(t, { network: { maxFeePerGas: parseGwei('5') } })
    const setFee = async (gwei: string) => {
      await treasury.anvil.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) })
      await treasury.anvil.mine(1)
    }
    return { ...treasury, setFee }
  }

  it('is not taken, is recalled when it was taken before, and goes out once when fees fall', async (t) => {
    const treasury = await startExpensive(t)
    const { rail, setFee } = treasury
    const order = treasury.order(100n)
    await treasury.tick()
    assert.equal(await rail.obstacle?.(order), null)
    await setFee('50')
    await rail.send(order)
    assert.equal(await rail.recall?.(order), false, 'nothing is known of the fee yet')
    await treasury.tick()
    assert.match(
      (await rail.obstacle?.(order))?.sentence as string,
      /^gas on local costs 5\d(\.\d+)? gwei; max_fee_gwei allows 5$/,
    )
    assert.equal(await rail.recall?.(order), true)
    assert.equal(await rail.recall?.(order), true)
    assert.deepEqual(await rail.ask(order), { state: 'recalled', attempt: 1 })
    assert.deepEqual(await rail.ask(again(order)), { state: 'not_found' })

    await setFee('1')
    // What comes late under the attempt that was recalled is not taken.
    assert.deepEqual(await rail.send(order), { state: 'recalled', attempt: 1 })
    treasury.clock.advance(15_000)
    await treasury.tick()
    assert.equal((await treasury.row(order))?.status, 'recalled')
    assert.equal(await rail.obstacle?.(again(order)), null)
    await Promise.all([rail.send(again(order)), rail.send(again(order)), rail.send(order)])
    assert.equal(await rail.recall?.(order), false, 'a later attempt is there')
    assert.equal((await finish(treasury, again(order))).state, 'completed')
    assert.equal(await treasury.received(order), 1_000_000n)
    assert.equal((await treasury.broadcasts(order)).length, 1)
  })

  it('is recalled before it comes, by a process that died in between: it cannot come late', async (t) => {
    const treasury = await startExpensive(t)
    const { rail, setFee } = treasury
    await setFee('50')
    await treasury.tick()
    const order = treasury.order(100n)
    assert.equal(await rail.recall?.(order), true)
    await setFee('1')
    treasury.clock.advance(15_000)
    assert.deepEqual(await rail.send(order), { state: 'recalled', attempt: 1 })
    await treasury.tick()
    assert.equal(await treasury.received(order), 0n)
    // Submitted again, the process dies again before it sends, and fees have risen again.
    await raiseKnownFee(treasury)
    assert.equal(await rail.recall?.(again(order)), true)
    assert.deepEqual(await rail.send(again(order)), { state: 'recalled', attempt: 2 })
    assert.deepEqual(await rail.ask(again(again(order))), { state: 'not_found' })
  })

  it('is signed or recalled, never both, however they meet', async (t) => {
    const treasury = await startTreasury(t, { network: { confirmations: 1 } })
    await treasury.tick()
    const other = { ...treasury.parts, chain: openChain(treasury.network) }
    const [rail, task] = [evmPayoutRail(other), sendTask(other)]
    const ends = { recalled: 0, paid: 0 }
    for (let round = 0; round < 25; round++) {
      const order = treasury.order(100n)
      await treasury.rail.send(order)
      await raiseKnownFee(treasury)
      // From at once to when it is signed for long, on machines that are fast and slow.
      const waitMs = [0, 3, 10, 40, 150, null][round % 6] as number | null
      const wait =
        waitMs === null
          ? until(async () => (await treasury.broadcasts(order)).length > 0)
          : sleep(waitMs)
      const [recalled] = await Promise.all([
        wait.then(() => rail.recall?.(order)),
        treasury.tick().then(() => raiseKnownFee(treasury)),
        task.run(),
      ])
      const signed = (await treasury.broadcasts(order)).length
      assert.equal(signed, recalled ? 0 : 1, `round ${round}`)
      assert.equal(await rail.recall?.(order), recalled === true, 'and it stays so')
      if (!recalled) assert.equal((await finish(treasury, order)).state, 'completed')
      assert.equal(await treasury.received(order), recalled ? 0n : 1_000_000n)
      ends[recalled ? 'recalled' : 'paid']++
    }
    assert.ok(ends.recalled > 0 && ends.paid > 0, JSON.stringify(ends))
  })
})
