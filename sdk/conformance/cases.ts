/**
 * The conformance list: what every SDK does, each in its language. A case asks an SDK by its
 * driver, and looks at what came back, at what went over the wire, and at what the server has.
 */
import assert from 'node:assert/strict'
import { names } from '../generate/names.ts'
import type { Case } from './case.ts'
import { clients } from './clients.ts'
import { forks } from './forks.ts'
import { operations } from './operations.ts'
import { pages } from './pages.ts'
import { refusals } from './refusals.ts'
import { retries } from './retries.ts'
import { signatures } from './signatures.ts'

const total: Case = {
  group: 'operations',
  name: 'every operation was asked for',
  async run({ seen }) {
    assert.deepEqual(
      Object.values(names).filter((name) => !seen.has(name)),
      [],
    )
  },
}

/** In the order in which they run: later ones use what the operations have left. */
export const cases: readonly Case[] = [
  ...operations,
  ...pages,
  ...refusals,
  ...retries,
  ...clients,
  ...forks,
  ...signatures,
  total,
]
