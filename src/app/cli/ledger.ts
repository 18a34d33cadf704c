/** `bursar ledger`: verifies the ledger, and closes it. */
import type { Command } from 'commander'
import type { App } from '../../core/app.ts'
import { closeBooks } from '../closing.ts'
import { verifyBooks } from '../open.ts'
import { heldWarnings } from '../outgoing.ts'
import { addCommands, commandsWith } from './commands.ts'
import type { CommandContext } from './context.ts'
import { differenceLine, verdictOf } from './differences.ts'
import { reportChain } from './proofs.ts'
import { progress, UserError } from './terminal.ts'

/** Adds `bursar ledger …`. */
export function addLedgerCommands(program: Command, { withApp, print }: CommandContext): void {
  const ledger = program.command('ledger').description('verify and close the ledger')
  addCommands(ledger, commands, { open: withApp, print })
}

const jsonOption = { '--json': 'print JSON' } as const

const command = commandsWith<App>()

const commands = {
  verify: command({
    description:
      'recompute balances from the postings since the last closing, and compare payouts and transactions',
    options: {
      '--whole': 'from all postings there are, and compare the opening balances of each closing',
      '--chain':
        'compare the postings with what was sealed and signed instead, and name the first that differs',
      '--from <day>':
        'with --chain: read postings from this day on, and of what is older the hashes alone',
      ...jsonOption,
    },
    async run(app, { whole = false, chain, from, json }) {
      if (chain) return reportChain(app, from)
      if (from !== undefined) throw new UserError('--from goes with --chain.')
      const onCheck = progress('checked', 'checks', json)
      const verified = await verifyBooks(app, { onCheck, whole })
      const { differences, accounts, postings, closed_at } = verified
      const warnings = await heldWarnings(app)
      const isClean = differences.length === 0
      return {
        isFailure: !isClean,
        json: { clean: isClean, accounts, postings, closed_at, differences, warnings },
        lines: [
          ...warnings.map((warning) => `LOOK  ${warning}`),
          ...differences.map((one) => differenceLine(one)),
          `${verdictOf(differences.length)}: ${accounts} accounts, ${postings} postings.`,
          ...(closed_at === null
            ? []
            : [`Read from the closing of ${closed_at.toISOString()} on; --whole reads all.`]),
        ],
      }
    },
  }),
  close: command({
    description:
      'verify and close the postings since the last closing; the next verification starts there',
    options: jsonOption,
    async run(app) {
      const closed = await closeBooks(app)
      if (closed === null)
        throw new UserError(
          'The books are being closed, summed or emptied of test data just now: try again.',
        )
      const { differences, closed_at, postings } = closed
      const isClean = differences.length === 0
      return {
        isFailure: !isClean,
        json: { clean: isClean, closed_at: isClean ? closed_at : null, postings, differences },
        lines: [
          ...differences.map((one) => differenceLine(one)),
          isClean
            ? `The books are clean, and closed up to ${closed_at.toISOString()}: ${postings} postings.`
            : `${differences.length} differences: nothing was closed.`,
        ],
      }
    },
  }),
}
