/**
 * A walk through what this rail asks of Paystack, with a test key: what was expected stands beside what came, so that one run settles what
 * nobody has confirmed (`unconfirmed.ts`). Nothing of it touches a record or the ledger.
 */
import type { Observation, TrialParts } from '../trial.ts'
import type { Account } from './account.ts'
import { askingOf } from './trial-asking.ts'
import { stepsIn } from './trial-in.ts'
import { stepsOut } from './trial-out.ts'

/** @param account one whose key is of test mode: what is asked would move money with another */
export async function* paystackTrial(
  account: Account,
  host: string | null,
  parts: TrialParts,
): AsyncGenerator<Observation> {
  const asking = askingOf(account)
  for (const { title, expected, settles = null, run } of [...stepsOut(asking), ...stepsIn(asking, host, parts)])
    yield { title, expected, settles, ...(await run()) }
}
