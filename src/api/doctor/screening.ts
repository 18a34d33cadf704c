/** Checks the sanctions lists: whether there are any, and their age. */
import { type Finding, fail, type Installation, ok, warn } from './finding.ts'

/** The lists that screen payouts. Test mode has the same lists, plus the sandbox's. */
export async function screening({
  app: { screens, config, clock },
}: Installation): Promise<Finding[]> {
  const states = screens.live.flatMap(({ state }) => state?.() ?? [])
  if (states.length === 0)
    return [
      ok(
        'screening',
        'no list of sanctions is configured (SCREENING_FILE): payouts are held to your own lists',
      ),
    ]
  return states.map(({ source, entries, updatedAt, fault }) => {
    const found = `${source} has ${entries.toLocaleString('en-US')} entries of ${updatedAt.toISOString()}`
    if (fault !== null)
      return fail(
        'screening',
        `${found}; a newer one cannot be read: ${fault}: payouts wait until it can`,
        'Mend SCREENING_FILE.',
      )
    if (entries === 0)
      return warn('screening', `${source} has no entry`, 'Fetch the list again: docs/screening.md.')
    return clock.now().getTime() - updatedAt.getTime() > config.SCREENING_MAX_AGE
      ? warn('screening', `${found}: that is old`, 'Fetch the list again: docs/screening.md.')
      : ok('screening', found)
  })
}
