import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { AccountCheck, Rails } from '../ports/routes.ts'
import { standingOf } from './checks.ts'

const standing = { fatal: null, keyWorks: true, obstacle: null, balances: {} }

it('shows what a provider warns of without personal data and keys', async () => {
  const said = 'Ada, 0123456789, ada@example.com, sk_live_abcdef123'
  const checks: (() => Promise<AccountCheck>)[] = [
    async () => ({ ...standing, warnings: [said] }),
    async () => {
      throw new Error(said)
    },
  ]
  const accounts = checks.map((check, n) => [`a${n}`, { name: `a${n}`, provider: 'P', check }])
  const rails = { live: { accounts: Object.fromEntries(accounts) }, test: { accounts: {} } }
  const stands = await standingOf(rails as unknown as Rails, 1_000)
  assert.deepEqual(
    stands.map(({ check }) => check.warnings),
    [['Ada, ***6789, [email], [key]'], ['P could not be asked: Ada, ***6789, [email], [key]']],
  )
})
