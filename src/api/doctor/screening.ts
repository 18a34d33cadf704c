/**
 * The lists of screening: whether there are any, and how old they are.
 */
import { type Finding, fail, type Installation, ok, warn } from './finding.ts'

/**
 * The lists whom payouts go to is looked for on. Those of test mode are the same, and the
 * sandbox's.
 */
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
