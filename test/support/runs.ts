import fc from 'fast-check'

/**
 * How often a property is tried in this run: half of its whole number, or the whole in `npm run
 * check:long`, which asks for it.
 */
export const runs = (whole: number): number =>
  process.env.PROPERTY_RUNS === 'whole' ? whole : Math.ceil(whole / 2)

/**
 * A property that fails prints its seed and its path. `PROPERTY_SEED=1 PROPERTY_PATH=2:3 npm test
 * -- FILE --test-name-pattern=TITLE` tries that case again; without a path, all cases of the seed.
 */
const { PROPERTY_SEED: seed, PROPERTY_PATH: path } = process.env
if (seed !== undefined)
  fc.configureGlobal({ seed: Number(seed), ...(path === undefined ? {} : { path }) })

/**
 * Runs a property's case, and after one that failed renews the world first: what that left behind
 * would fail the smaller cases of the shrink too.
 * @param renew opens a world where nothing has happened yet, in place of the one before
 */
export function inFreshWorlds<Args extends unknown[]>(
  renew: () => Promise<unknown>,
  runCase: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let isSpoilt = false
  return async (...args) => {
    if (isSpoilt) await renew()
    isSpoilt = true
    await runCase(...args)
    isSpoilt = false
  }
}
