/**
 * A data directory of an earlier release: its cluster with the rows of that release, served by this version from the command line.
 */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useEmbedded } from '../../src/db/embedded.ts'
import { makeCall, must } from '../support/harness.ts'
import { readFixture, releases, restoreFixture, secretsKey } from '../support/upgrade/fixture.ts'
import { type Check, root, sh, start } from './check.ts'

export const upgradeCheck: Check = {
  name: 'upgrade',
  lacks: () => null,
  async run(dir) {
    const found: string[] = []
    for (const release of releases) {
      const data = join(dir, release)
      const fixture = readFixture(release)
      const embedded = await useEmbedded({ dir: data }, 'serve')
      await restoreFixture(fixture, {
        ownerUrl: embedded.ownerUrl,
        superuserUrl: embedded.superuserUrl.replace('/postgres?', '/bursar?'),
      })
      await embedded.release()
      writeFileSync(join(data, 'secrets.key'), `${secretsKey}\n`, { mode: 0o600 })

      const bin = join(root, 'bin/bursar.js')
      const env = { DATA_DIR: data, LOG_LEVEL: 'warn', RATE_LIMIT_MAX: '0' }
      const server = await start('node', [bin, 'serve'], dir, env)
      const wallets = await must(makeCall(server.url, fixture.testKey)('GET', '/wallets'))
      assert.equal(wallets.length, 2)
      const said = await sh(`node ${bin} ledger verify`, dir, env)
      assert.match(said, /The books are clean: \d+ accounts, [1-9]/)
      await server.stop(10_000)
      found.push(`${release}: ${said.trim().split('\n').at(-1)}`)
    }
    return found.join('; ')
  },
}
