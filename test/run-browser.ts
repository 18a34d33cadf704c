/**
 * Runs the tests that need a browser: the system's Chromium, or the one that CHROMIUM names, see `findChromium`.
 */
import { findChromium } from './browser/browser.ts'
import { runTests } from './support/runner.ts'

try {
  findChromium()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
// A minute a file where two cores are free: where they are not it must be let finish.
await runTests({
  patterns: ['test/browser/*.browser.ts'],
  longest: [
    'test/browser/dashboard-pages.browser.ts',
    'test/browser/checkout-away.browser.ts',
    'test/browser/operator.browser.ts',
    'test/browser/dashboard-jobs.browser.ts',
    'test/browser/checkout-cards.browser.ts',
  ],
  concurrency: 4,
  timeoutMs: 600_000,
})
