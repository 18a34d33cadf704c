import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { describe, it } from 'node:test'
import { finish, startTreasury } from '../../support/treasury.ts'

describe('a sender that dies', () => {
  for (const place of ['signed', 'stored', 'sent'])
    it(`pays once when it is killed as soon as a payout is ${place}`, async (t) => {
      const treasury = await startTreasury(t)
      const orders = [treasury.order(100n), treasury.order(200n)]
      for (const order of orders) await treasury.rail.send(order)
      const { anvil, database, token, key } = treasury
      const input = JSON.stringify({ url: anvil.url, databaseUrl: database.url, token, key, place })
      const script = new URL('../../support/treasury-killed.ts', import.meta.url).pathname
      const child = spawn(process.execPath, [script, input], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      const signal = await new Promise((resolve) =>
        child.once('exit', (_code, signal) => resolve(signal)),
      )
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
})
