/**
 * Runs the tests that need no browser. What operations declare that they refuse with must have been provoked by them.
 */
import { drills } from './drills.ts'
import { unprovoked } from './provoked.ts'
import { runTests } from './runner.ts'

await runTests({
  patterns: ['src/**/*.test.ts', 'test/**/*.test.ts', 'sdk/generate/*.test.ts', 'sdk/typescript/*.test.ts'],
  except: drills,
  longest: [
    'test/cells-moves.test.ts',
    'test/paystack-matrix.test.ts',
    'test/database-upgrade.test.ts',
    'test/backup-refused.test.ts',
    'test/crash.test.ts',
    'test/paystack-return.test.ts',
    'test/paystack-killed.test.ts',
    'test/rolling-upgrade.test.ts',
  ],
  misses: unprovoked,
})
