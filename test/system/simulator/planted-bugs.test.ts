/** The bugs that `npm run sim -- --mutations` plants can still be planted: code moves on, and a patch whose place is gone tries nothing. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { test } from 'node:test'

const cwd = new URL('../../..', import.meta.url).pathname

for (const patch of globSync('sim/mutations/*.patch', { cwd }).sort())
  test(`${patch} applies`, () => {
    execFileSync('git', ['apply', '--check', patch], { cwd, stdio: 'pipe' })
  })
