/** `bursar export journal`: a journal of the ledger for plain-text accounting. */
import { readFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { accessOf, type Environment, exitsHelp, withUsageStatus } from './access.ts'
import { makeApi } from './api.ts'
import { UserError } from './terminal.ts'

type Options = { format: string; from?: string; to?: string; accounts?: string }

/** Adds `bursar export …`. @param out where the file goes */
export function addExportCommand(
  program: Command,
  env: Environment,
  out: NodeJS.WritableStream = process.stdout,
): void {
  const group = program.command('export').description('export files for other programs')
  withUsageStatus(group.command('journal'))
    .description('print a journal for hledger, Ledger or Beancount')
    .requiredOption('--format <name>', 'hledger, ledger or beancount')
    .option('--from <day>', 'the first day or a time (default: the first posting)')
    .option('--to <day>', 'the last day, or before a time (default: now)')
    .option('--accounts <file>', 'your own accounts, a line such as fees=Expenses:Bank for each')
    .addHelpText('after', exitsHelp)
    .action(async ({ accounts, ...options }: Options) => {
      const query = new URLSearchParams(options)
      if (accounts !== undefined) query.set('accounts', accountsIn(accounts))
      const file = await makeApi(accessOf(env)).file(`/exports/journal?${query}`)
      await pipeline(file, out, { end: false })
    })
}

/** The lines of a file of accounts, without comments. */
function accountsIn(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').split(/\r?\n/)
    return lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).join(',')
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
