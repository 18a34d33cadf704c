/**
 * Runs the tests that need no browser. What operations declare that they refuse with must have been provoked by them.
 */
import { unprovoked } from './provoked.ts'
import { runTests } from './runner.ts'

await runTests(['src/**/*.test.ts', 'test/**/*.test.ts'], 120_000, unprovoked)
