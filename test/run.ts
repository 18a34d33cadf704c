/**
 * Runs the tests that need no browser.
 */
import { runTests } from './runner.ts'

await runTests(['src/**/*.test.ts', 'test/**/*.test.ts'])
