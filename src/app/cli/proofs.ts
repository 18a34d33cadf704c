/** What the operator's commands say of the ledger's chains: `bursar ledger verify --chain`. */
import { verifyChain } from '../../books/proofs/proofs.ts'
import type { App } from '../../core/app.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { UserError } from './terminal.ts'

const aDay = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/**
 * Verifies the chains, and prints what differs. @param from the first day whose postings are read,
 * where they are not read all
 */
export async function sayChain(
  app: App,
  {
    from,
    json,
    print,
  }: { from?: string | undefined; json?: boolean | undefined; print(line: string): void },
): Promise<void> {
  if (from !== undefined && !aDay.test(from))
    throw new UserError('--from must be a day, such as 2026-11-21.')
  const { differences, ...sizes } = await verifyChain(app, from ?? null)
  const clean = differences.length === 0
  if (!clean) process.exitCode = 1
  if (json) return print(toJson({ clean, ...sizes, differences }))
  for (const { business_id, livemode, what, said } of differences)
    print(
      `DIFFERENCE  ${[business_id, livemode === null ? null : modeOf(livemode), what].filter(Boolean).join(' ')} ${said}`,
    )
  const { chains, seals, postings, unsealed, days } = sizes
  print(
    `${clean ? 'The chains are whole' : `${differences.length} differences`}: ${chains} chains, ${seals} seals of ${postings} postings, ${days} proofs of days; ${unsealed} postings are not sealed yet.`,
  )
}
