/** `bursar export`: journals for plain-text accounting, and statements in the forms of banks. */
import { readFileSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { accessOf, type Environment, exitsHelp, withUsageStatus } from './access.ts'
import { makeApi } from './api.ts'
import { UserError } from './terminal.ts'

type StatementOptions = { currency: string; format: string; from?: string; to?: string }
type Options = { format: string; from?: string; to?: string; accounts?: string }

/** Adds `bursar export …`. @param out where the file goes */
export function addExportCommand(
  program: Command,
  env: Environment,
  out: NodeJS.WritableStream = process.stdout,
): void {
  const group = program.command('export').description('export files for other programs')
  const print = async (path: string): Promise<void> =>
    pipeline(await makeApi(accessOf(env)).file(path), out, { end: false })
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
      await print(`/exports/journal?${query}`)
    })
  withUsageStatus(group.command('statement'))
    .description('print a statement of a wallet as a bank would, for accounting programs')
    .requiredOption('--currency <code>', 'the wallet: ngn or usd')
    .requiredOption('--format <name>', 'camt.053.001.08, camt.053.001.02 or mt940')
    .option('--from <day>', 'the first day (default: the last day)')
    .option('--to <day>', 'the last day, which must be over (default: yesterday)')
    .addHelpText('after', exitsHelp)
    .action(async (options: StatementOptions) =>
      print(`/exports/statement?${new URLSearchParams(options)}`),
    )
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
