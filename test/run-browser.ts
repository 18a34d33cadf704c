/**
 * Runs the tests that need a browser: the system's Chromium, or the one that CHROMIUM names, see
 * `findChromium`.
 */
import { findChromium } from './browser/browser.ts'
import { runTests } from './support/runner.ts'

try {
  findChromium()
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
await runTests({ patterns: ['test/browser/*.browser.ts'], shares: 2, concurrency: 2 })
