/**
 * Runs the tests that need nothing but this process and one PostgreSQL. What operations declare that they refuse with must have been provoked by them.
 */
import { inProcessFiles } from './support/layers.ts'
import { unprovoked } from './support/provoked.ts'
import { runTests } from './support/runner.ts'

await runTests({
  patterns: inProcessFiles,
  shares: true,
  concurrency: 4,
  misses: unprovoked,
})
