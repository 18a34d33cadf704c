import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { randomAddress, silent, startTreasury } from '../../../test/support/treasury.ts'
import { openChain } from './chain.ts'
import { sendTask } from './sender.ts'
import { sweepTask } from './sweep.ts'
import { newMemory, step } from './watcher.ts'

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
          response
            .writeHead(403, { 'content-type': 'text/plain' })
            .end(`Cannot ${request.method} ${request.url}`)
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
      const parts = {
        ...treasury.parts,
        chain,
        log: { ...silent, info: write, warn: write, error: write },
      }
      await treasury.rail.send(treasury.order(100n))
      await sendTask(parts).run()
      const { address } = treasury.signer
      const deposit = () => treasury.signer
      const candidates = async function* () {
        yield [{ address: randomAddress(), index: 0 }]
      }
      const sweeps = sweepTask(
        { ...parts, treasury: address, deposit, minimum: 1n },
        candidates,
        1_000,
      )
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
