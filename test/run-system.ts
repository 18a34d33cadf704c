/**
 * Runs the tests that start processes of their own: servers and commands as an operator runs them, kills, other versions, programs of other languages.
 */
import { runTests } from './support/runner.ts'

await runTests({ patterns: ['test/system/**/*.test.ts'], concurrency: 3 })
