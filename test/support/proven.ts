/** A server that has proven its past. */
import { generateKeyPairSync } from 'node:crypto'
import { sealPostings, verifyChain } from '../../src/books/proofs/proofs.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { type TestServer, until } from './harness.ts'

/**
 * Seals all postings, and makes and signs the proof of their day as if it were over. @returns the
 * day
 */
export async function proveNow({ app }: Pick<TestServer, 'app'>): Promise<string> {
  app.config.PROOF_KEY ??= generateKeyPairSync('ed25519').privateKey
  await until(async () => {
    await sealPostings(app)
    return (await verifyChain(app)).unsealed === 0
  })
  const [mark] = await app.db.query<{ day: string }>('select day::text from sealed_postings')
  const { day } = mark as { day: string }
  const over = new Date(Date.parse(day) + 86_400_000)
  await until(async () => {
    await sealPostings({ ...app, clock: manualClock(over) })
    return (
      (
        await app.db.query('select from proofs where day = $1::date and signature is not null', [
          day,
        ])
      ).length > 0
    )
  })
  return day
}
