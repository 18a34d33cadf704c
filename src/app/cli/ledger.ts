/** `bursar ledger`: the books are verified, and closed. */
import type { Command } from 'commander'
import type { Difference } from '../../books/ledger/verify.ts'
import { toJson } from '../../lib/json.ts'
import { modeOf } from '../../lib/mode.ts'
import { closeBooks } from '../closing.ts'
import { verifyBooks } from '../open.ts'
import { heldWarnings } from '../outgoing.ts'
import type { CommandContext } from './context.ts'
import { sayChain } from './proofs.ts'
import { progress, UserError } from './terminal.ts'

type Given = { whole?: boolean; chain?: boolean; from?: string; json?: boolean }

/** Adds `bursar ledger …`. */
export function addLedgerCommands(program: Command, { withApp, print }: CommandContext): void {
  const ledger = program.command('ledger').description('look after the ledger')
  const printAll = (differences: Difference[]): void => {
    for (const { check, business_id, livemode, what, expected, found } of differences)
      print(
        `DIFFERENCE  ${check}: ${business_id} ${modeOf(livemode)} ${what}: expected ${expected}, found ${found}`,
      )
  }
  ledger
    .command('verify')
    .description(
      'recompute every balance from the postings since the last closing, and hold payouts and transactions against it',
    )
    .option(
      '--whole',
      'from all postings there are, and hold the opening balances of each closing against them',
    )
    .option(
      '--chain',
      'hold the postings against what was sealed and signed instead, and name the first that differs',
    )
    .option(
      '--from <day>',
      'with --chain: read postings from this day on, and of what is older the hashes alone',
    )
    .option('--json', 'print JSON')
    .action(({ whole = false, chain, from, json }: Given) =>
      withApp(async (app) => {
        if (chain) return sayChain(app, { from, json, print })
        if (from !== undefined) throw new UserError('--from goes with --chain.')
        const onCheck = progress('checked', 'checks', json)
        const { differences, accounts, postings, closed_at } = await verifyBooks(app, {
          onCheck,
          whole,
        })
        const warnings = await heldWarnings(app)
        if (json)
          print(
            toJson({
              clean: differences.length === 0,
              accounts,
              postings,
              closed_at,
              differences,
              warnings,
            }),
          )
        else {
          for (const warning of warnings) print(`LOOK  ${warning}`)
          printAll(differences)
          const verdict =
            differences.length === 0 ? 'The books are clean' : `${differences.length} differences`
          print(`${verdict}: ${accounts} accounts, ${postings} postings.`)
          if (closed_at)
            print(`Read from the closing of ${closed_at.toISOString()} on; --whole reads all.`)
        }
        if (differences.length > 0) process.exitCode = 1
      }),
    )
  ledger
    .command('close')
    .description(
      'verify what came since the last closing, and close it: what follows is verified from there on',
    )
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      withApp(async (app) => {
        const closed = await closeBooks(app)
        if (closed === null)
          throw new UserError(
            'The books are being closed, summed or emptied of test data just now: try again.',
          )
        const { differences, closed_at, postings } = closed
        const clean = differences.length === 0
        if (json)
          print(toJson({ clean, closed_at: clean ? closed_at : null, postings, differences }))
        else {
          printAll(differences)
          print(
            clean
              ? `The books are clean, and closed up to ${closed_at.toISOString()}: ${postings} postings.`
              : `${differences.length} differences: nothing was closed.`,
          )
        }
        if (!clean) process.exitCode = 1
      }),
    )
}
