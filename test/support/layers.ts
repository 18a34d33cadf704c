/**
 * The layers of tests, and what belongs to one of them alone.
 */

/** The files of `npm test`. They run in process, over the one PostgreSQL of the run. */
export const inProcessFiles = [
  'src/**/*.test.ts',
  'test/{integration,doubles}/**/*.test.ts',
  'sdk/generate/*.test.ts',
  'sdk/typescript/*.test.ts',
]

/** Files that start processes of Bursar, or a PostgreSQL cluster of their own. */
export const processStarters = [
  'test/support/carried.ts',
  'test/support/commands.ts',
  'test/support/nodes.ts',
  'test/support/provider-child.ts',
  'test/support/standby.ts',
]
