/**
 * Files of tests that take a minute each and that little of a change touches: `npm run check:long -- drills` runs them, `npm test` does not.
 */
export const drills = [
  'test/backup.test.ts',
  'test/backup-refused.test.ts',
  'test/cells.test.ts',
  'test/cells-moves.test.ts',
  'test/database-lost.test.ts',
  'test/database-upgrade.test.ts',
  'test/failover.test.ts',
  'test/rolling-upgrade.test.ts',
  'test/paystack-killed.test.ts',
  'test/paystack-return.test.ts',
  'test/paystack-killed-refunds.test.ts',
  'test/dollars-killed.test.ts',
  'test/live-demo.test.ts',
  'test/demo-data.test.ts',
  'test/random-month.test.ts',
]
