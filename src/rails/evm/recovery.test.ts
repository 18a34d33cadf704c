import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseGwei } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { block, finish, setTokens, startTreasury, wrapped } from '../../../test/support/treasury.ts'
import { openChain } from './chain.ts'
import { signerOf } from './keys.ts'
import { sendTask } from './sender.ts'

describe('a sender that dies', () => {
  it('signs anew when what it signed was never stored, and stores nothing that another has overtaken', async (t) => {
    const treasury = await startTreasury(t)
    const order = treasury.order(100n)
    await treasury.rail.send(order)
    // Another process does all of it between the signature and the commit of this one.
    let first = true
    const slow = sendTask({
      ...treasury.parts,
      signer: {
        ...treasury.signer,
        async sign(transaction) {
          const raw = await treasury.signer.sign({
            ...transaction,
            maxFeePerGas: transaction.maxFeePerGas + 1n,
          })
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
    const slow = sendTask({
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
    assert.equal(
      await treasury.anvil.node.getTransactionCount({ address: treasury.signer.address }),
      0,
    )
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
    const next = sendTask({ ...treasury.parts, signer })
    await next.run()
    assert.equal(
      (await rail.obstacle?.(treasury.order(1n)))?.sentence,
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
      const start = () =>
        sendTask({
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
      const processes = [start(), start()]
      const orders = Array.from({ length: 24 }, (_, i) => treasury.order(BigInt(i + 1)))
      const refused = orders[7] as (typeof orders)[0]
      await block(anvil, treasury.token, 'to', (refused.destination as { address: string }).address)
      // Reorganisations do not reach the treasury's own tokens.
      await anvil.mine(5)
      await anvil.node.setAutomine(false)
      for (const [i, order] of orders.entries()) {
        await rail.send(order)
        if (i % 3 !== 0) continue
        await Promise.all(processes.map((one) => one.run()))
        if (chance(40))
          await anvil.node.setNextBlockBaseFeePerGas({
            baseFeePerGas: parseGwei(chance(50) ? '3' : '1'),
          })
        if (chance(70)) await anvil.mine(1)
        if (chance(40)) await anvil.reorg(2)
        clock.advance(700)
      }
      await anvil.node.setAutomine(true)
      for (let round = 0; round < 60; round++) {
        await Promise.all(processes.map((one) => one.run()))
        await anvil.mine(1)
        clock.advance(700)
        const states = await Promise.all(orders.map((order) => rail.ask(order)))
        if (states.every((one) => one.state === 'completed' || one.state === 'failed')) break
      }
      for (const order of orders) {
        const { state } = await rail.ask(order)
        assert.equal(
          state,
          order === refused ? 'failed' : 'completed',
          `${order.amount}: ${await treasury.trouble()}`,
        )
        assert.equal(
          await treasury.received(order),
          order === refused ? 0n : order.amount * 10_000n,
        )
      }
      const count = await anvil.node.getTransactionCount({ address: treasury.signer.address })
      assert.equal(count, 23)
    })
})
