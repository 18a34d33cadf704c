/** `bursar rails check`: asks a provider's test mode about everything that its adapter assumes. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { replaceFile } from '../../lib/files.ts'
import { toJson } from '../../lib/json.ts'
import { formatMoney } from '../../lib/money.ts'
import { version } from '../../lib/version.ts'
import { type CheckParts, type Finding, verdicts } from '../../rails/ports/assumptions.ts'
import type { RailAccount } from '../../rails/ports/routes.ts'
import type { CommandContext } from './context.ts'
import { printable, UserError } from './terminal.ts'

type Options = { pay: boolean; json?: boolean; report?: string }

/**
 * Adds `bursar rails check`. The exit code is 1 where something is contradicted, or nothing is
 * confirmed.
 */
export function addCheckCommand(rails: Command, context: CommandContext): void {
  const { withApp, print, say, wait = (ms) => sleep(ms) } = context
  rails
    .command('check <name>')
    .description(
      'ask a provider, with your test key, about everything that this version assumes of it',
    )
    .option('--no-pay', 'leave out what needs a person to pay')
    .option('--report <file>', 'where the report goes; bursar-check-NAME.json unless given')
    .option('--json', 'print JSON')
    .action((name: string, { pay, json = false, report = `bursar-check-${name}.json` }: Options) =>
      withApp(async (app) => {
        const account = app.rails.test.accounts[name]
        if (account?.assumptions === undefined)
          throw new UserError(refusal(name, Object.keys(app.rails.test.accounts)))
        await requireKey(account)
        const parts: CheckParts = { pay: pay ? payByHand(say) : null, wait }
        const findings: Finding[] = []
        const reported = (complete: boolean) => ({
          bursar: version,
          provider: account.provider,
          checked_at: app.clock.now().toISOString(),
          paid: pay,
          complete,
          findings,
        })
        // An interrupted check leaves a report of what it had found by then.
        writeReport(report, toJson(reported(false)))
        for await (const finding of account.assumptions(parts)) {
          findings.push(finding)
          writeReport(report, toJson(reported(false)))
          if (!json) for (const line of linesOf(finding)) print(printable(line))
        }
        const whole = reported(true)
        writeReport(report, toJson(whole))
        const count = (verdict: Finding['verdict']) =>
          findings.filter((one) => one.verdict === verdict).length
        if (json) print(toJson(whole))
        else
          print(
            `${verdicts.map((one) => `${count(one)} ${one}`).join(', ')}. The report without keys and personal data: ${report}`,
          )
        if (count('contradicted') > 0) process.exitCode = 1
        else if (count('confirmed') === 0)
          throw new UserError(
            `The provider has confirmed nothing: it may not have been reached. See ${report}.`,
          )
      }),
    )
}

const refusal = (name: string, known: string[]): string =>
  known.length === 0
    ? 'There is no account to check: set RAILS_FILE, with an account below test.'
    : `RAILS_FILE has no account '${name}' below test that can be checked. It has there: ${known.join(', ')}. A check moves money, so it never takes a live key: give the provider's test key below test.`

/** @throws {UserError} where the provider does not take the key, or says that it is of live mode */
async function requireKey({ name, check }: RailAccount): Promise<void> {
  const stands = await check?.()
  if (stands?.fatal) throw new UserError(stands.fatal)
  if (stands?.keyWorks === false)
    throw new UserError(
      `The provider of '${name}' does not take the key. Look at its test keys, and try again.`,
    )
}

/** To standard error, beside JSON too: without it nobody knows where to pay. */
const payByHand =
  (say: CommandContext['say']): CheckParts['pay'] =>
  async ({ url, to, amount }) =>
    say(
      to === null
        ? `Open ${url} and pay ${formatMoney(amount, 'ngn')} with a test card of the provider. It is waited for.`
        : `Open ${url} and send ${formatMoney(amount, 'ngn')} to account ${to}. It is waited for.`,
    )

const linesOf = ({ id, verdict, asked, assumed, saw, source }: Finding): string[] => [
  `${verdict === 'contradicted' ? 'CONTRADICTED' : verdict.padEnd(13)}  ${id}`,
  `               asked    ${asked}`,
  `               assumed  ${assumed} (${source})`,
  `               saw      ${saw}`,
]

/** Writes a file that only its owner can read, whole, in place of one that is there. */
function writeReport(file: string, text: string): void {
  try {
    replaceFile(file, `${text}\n`)
  } catch (error) {
    throw new UserError(`The report could not be written: ${(error as Error).message}`)
  }
}
