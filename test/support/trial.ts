/**
 * `bursar rails try` over the double of Paystack: without a provider's key it is walked through here. `npm run rails:try` prints it.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Double, type Settings, startPaystack } from '../doubles/paystack.ts'
import { command, type Output } from './commands.ts'

/** What a person and the world do meanwhile: a payment is made where it is asked for, and whoever is asked about is known. */
function beThere({ test }: Double, child: ChildProcess): void {
  let said = ''
  child.stderr?.on('data', (chunk) => {
    said += chunk
    const code = /Open \S+\/(\w+) and pay/.exec(said)?.[1]
    const waiting = test.books.transactions.find(({ accessCode, paidAt }) => accessCode === code && paidAt === null)
    if (waiting) test.payer.pay(waiting.reference, { brand: 'visa', last4: '4081' })
  })
  const looking = setInterval(() => {
    for (const { code, asked, identified } of test.books.customers)
      if (asked && !identified) test.identity.succeed(code)
  }, 50)
  child.on('exit', () => clearInterval(looking))
}

/**
 * Runs the command over a double of its own.
 * @param databaseUrl of a database that has the schema
 * @param begun is given its process
 */
export async function tryOverDouble(
  databaseUrl: string,
  args: string[] = [],
  settings: Partial<Settings> = {},
  begun: (child: ChildProcess) => void = () => {},
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
    const ran = await command(['rails', 'try', 'paystack', ...args], env, (child) => {
      beThere(double, child)
      begun(child)
    })
    return { ...ran, double }
  } finally {
    await double.stop()
    rmSync(dir, { recursive: true })
  }
}
