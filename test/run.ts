/**
 * Runs the tests that need no browser. What operations declare that they refuse with must have been provoked by them.
 */
import { unprovoked } from './provoked.ts'
import { runTests } from './runner.ts'

await runTests({
  patterns: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  longest: ['test/paystack-matrix.test.ts', 'test/backup.test.ts'],
  misses: unprovoked,
})
