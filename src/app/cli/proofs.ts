/** `bursar ledger verify --chain`: verifies the hash chains of the ledger. */
import { verifyChain } from '../../books/proofs/proofs.ts'
import type { App } from '../../core/app.ts'
import { modeOf } from '../../lib/mode.ts'
import type { Report } from './commands.ts'
import { UserError } from './terminal.ts'

const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/**
 * Verifies the chains. @param from the first day whose postings are read; all of them without it
 * @throws {UserError} unless it is a day
 */
export async function reportChain(app: App, from: string | undefined): Promise<Report> {
  if (from !== undefined && !day.test(from))
    throw new UserError('--from must be a day, such as 2026-11-21.')
  const { differences, ...sizes } = await verifyChain(app, from ?? null)
  const { chains, seals, postings, unsealed, days } = sizes
  const isClean = differences.length === 0
  const verdict = isClean ? 'The chains are whole' : `${differences.length} differences`
  return {
    isFailure: !isClean,
    json: { clean: isClean, ...sizes, differences },
    lines: [
      ...differences.map(({ business_id, livemode, what, said }) => {
        const mode = livemode === null ? null : modeOf(livemode)
        return `DIFFERENCE  ${[business_id, mode, what].filter(Boolean).join(' ')} ${said}`
      }),
      `${verdict}: ${chains} chains, ${seals} seals of ${postings} postings, ${days} proofs of days; ${unsealed} postings are not sealed yet.`,
    ],
  }
}
