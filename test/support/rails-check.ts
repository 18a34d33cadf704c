/**
 * `bursar rails try` over the double of Paystack: without a provider's key it is walked through here. `npm run rails:try` prints it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addOperatingCommands } from '../../src/edge/cli/operating.ts'
import { open } from '../../src/edge/open.ts'
import { readConfig } from '../../src/lib/config.ts'
import { type Double, type Settings, startPaystack } from '../doubles/paystack.ts'
import { type Output, runAddedCommand } from './command-line.ts'

/** Pays where the command asks a person to. */
function payAsAsked({ test }: Double, line: string): void {
  const code = /^Open \S+\/(\w+) and pay/.exec(line)?.[1]
  const waiting = test.books.transactions.find(({ accessCode, paidAt }) => accessCode === code && paidAt === null)
  if (waiting) test.payer.pay(waiting.reference, { brand: 'visa', last4: '4081' })
}

/** Has whoever is asked about be known. */
function identifyAll({ test }: Double): void {
  for (const { code, asked, identified } of test.books.customers) if (asked && !identified) test.identity.succeed(code)
}

/**
 * Runs the command over a double of its own.
 * @param databaseUrl of a database that has the schema
 */
export async function tryOverDouble(
  databaseUrl: string,
  args: string[] = [],
  settings: Partial<Settings> = {},
): Promise<Output & { double: Double }> {
  const double = await startPaystack({ settings })
  const dir = mkdtempSync(join(tmpdir(), 'bursar-trial-'))
  try {
    double.test.operator.topUp(1_000_000_00)
    double.test.bank.name('058', '0000000001', null)
    const account = { provider: 'paystack', secret_key: 'env:PAYSTACK_TEST_KEY', base_url: double.url }
    const file = join(dir, 'rails.json')
    writeFileSync(
      file,
      JSON.stringify({ test: { accounts: { paystack: account }, routes: { 'payout.ngn': ['paystack'] } } }),
    )
    const env = {
      RAILS_FILE: file,
      PAYSTACK_TEST_KEY: double.keys.test,
      DATABASE_URL: databaseUrl,
      SECRETS_KEY: 'ab'.repeat(32),
    }
    const opened = await open({ ...readConfig(env), LOG_LEVEL: 'silent' }, 'tool')
    const looking = setInterval(() => identifyAll(double), 50)
    const ran = await runAddedCommand(
      (program, print, say) =>
        addOperatingCommands(program, env, {
          withApp: (work) => work(opened.app),
          print,
          say(line) {
            say(line)
            payAsAsked(double, line)
          },
        }),
      ['rails', 'try', 'paystack', ...args],
    ).finally(() => {
      clearInterval(looking)
      return opened.close()
    })
    return { ...ran, double }
  } finally {
    await double.stop()
    rmSync(dir, { recursive: true })
  }
}
