/**
 * Runs the tests that need nothing but this process and one PostgreSQL. What operations declare that they refuse with must have been provoked by them.
 */
import { unprovoked } from './support/provoked.ts'
import { runTests } from './support/runner.ts'

await runTests({
  patterns: [
    'src/**/*.test.ts',
    'test/{integration,doubles}/**/*.test.ts',
    'sdk/generate/*.test.ts',
    'sdk/typescript/*.test.ts',
  ],
  shares: true,
  concurrency: 4,
  misses: unprovoked,
})
