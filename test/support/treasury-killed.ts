/**
 * A process that pays, and kills itself at one place: `signed` (nothing is stored), `stored`
 * (nothing is sent), `sent` (nothing more is written down). For tests.
 */

import { openDatabase } from '../../src/db/db.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { openChain } from '../../src/rails/evm/chain.ts'
import { signerOf } from '../../src/rails/evm/keys.ts'
import { sendTask } from '../../src/rails/evm/sender.ts'
import { localNetwork, silent, wrapped } from './treasury.ts'

const { url, databaseUrl, token, key, place } = JSON.parse(process.argv[2] as string) as Record<
  string,
  string
>

const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}
const signer = signerOf(key as string)
const db = openDatabase(databaseUrl as string, { max: 4, onError() {} })
const chain = wrapped(openChain(localNetwork([url as string], token as string)), (endpoint) => ({
  async send(raw) {
    if (place === 'stored') await die()
    await endpoint.send(raw)
    if (place === 'sent') await die()
  },
}))
await sendTask({
  db,
  clock: systemClock,
  log: silent,
  chain,
  signer: {
    ...signer,
    async sign(transaction) {
      const raw = await signer.sign(transaction)
      return place === 'signed' ? die() : raw
    },
  },
}).run()
