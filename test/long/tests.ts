/**
 * Checks that are files of tests.
 */
import { spawnSync } from 'node:child_process'
import { fetched } from './binaries.ts'
import type { Check } from './check.ts'

type Options = { env?: Record<string, string>; lacks?(): string | null }

function testsCheck(
  name: string,
  files: string[],
  { env = {}, lacks = () => null }: Options = {},
): Check {
  return {
    name,
    lacks,
    async run() {
      const given = {
        env: { ...process.env, ...env },
        encoding: 'utf8',
        maxBuffer: 256 * 1024 * 1024,
      } as const
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['test/run.js', ...files],
        given,
      )
      if (status !== 0) throw new Error(stdout + stderr)
      return [
        ...stdout.matchAll(/^\s*ℹ (?!suites|pass|fail|cancelled|skipped|todo|duration)(.+)$/gm),
      ]
        .map(([, line]) => line)
        .join('; ')
    },
  }
}

const storm = ['--fault-every', '12', '--heavy', '30']
const calm = ['--fault-every', '100', '--heavy', '40', '--businesses', '8', '--operator', '12']
/**
 * Seeds that the simulator has failed by once, with what they were run with. Every change runs seed
 * 1.
 */
const seeds: Record<string, string[]> = {
  7102: ['--minutes', '10', '--fault-every', '600', '--businesses', '8'],
  8101: ['--minutes', '5', ...storm],
  8102: ['--minutes', '6', ...storm],
  9721: ['--minutes', '10', '--clients', '12', '--pause', '1800', ...calm],
}

const simulatorCheck: Check = {
  name: 'simulator',
  lacks: () => null,
  async run() {
    for (const [seed, words] of Object.entries(seeds)) {
      const given = ['sim/sim.ts', '--seed', seed, ...words]
      const { status, stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8' })
      if (status !== 0) throw new Error(stdout + stderr)
    }
    return `seeds ${Object.keys(seeds).join(', ')}: nothing found`
  },
}

export const checksOfTests: Check[] = [
  simulatorCheck,
  testsCheck('drills', ['test/long/*.test.ts']),
  testsCheck('month', ['test/long/random-month.test.ts'], { env: { MONTH_ORDERS: '10000' } }),
  testsCheck('stripe-mock', ['test/system/providers/stripe-mock.test.ts'], {
    lacks: () =>
      spawnSync(process.env.STRIPE_MOCK ?? 'stripe-mock', ['-version']).error
        ? 'stripe-mock'
        : null,
  }),
  testsCheck('database-upgrade', ['test/long/database-upgrade.ts'], { lacks: () => fetched(17) }),
  testsCheck('point-in-time', ['test/long/point-in-time.ts']),
  testsCheck('cells', ['test/long/cells-killed.ts']),
  testsCheck('moves', ['test/long/cells-moved.ts']),
  testsCheck('failover', ['test/long/failover.test.ts'], { env: { FAILOVERS: '10' } }),
  // Every property as often as it should be tried; `npm test` tries half.
  testsCheck(
    'properties',
    [
      'test/integration/payouts/orders.property.test.ts',
      'test/integration/payouts/property.test.ts',
      'test/integration/payouts/approval-races.test.ts',
      'test/integration/collecting/collecting.property.test.ts',
      'test/integration/payouts/batches.test.ts',
      'test/integration/collecting/deposit-batches.test.ts',
      'test/integration/selling/selling.property.test.ts',
      'src/rails/evm/watcher.test.ts',
      'test/integration/paystack/cards.property.test.ts',
    ],
    { env: { PROPERTY_RUNS: 'whole' } },
  ),
]
