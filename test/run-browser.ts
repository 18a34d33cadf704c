/**
 * Runs the tests that need a browser: the system's Chromium, or the one that CHROMIUM names.
 */
import { findChromium } from './browser/browser.ts'
import { runTests } from './runner.ts'

try {
  findChromium()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
// A minute a file where two cores are free: where they are not it must be let finish.
await runTests({ patterns: ['test/browser/*.browser.ts'], timeoutMs: 600_000 })
