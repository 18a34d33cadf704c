/**
 * `bursar receipt verify`: whether a receipt proves what it says, without the server that gave it.
 */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { checkReceipt, NotProven, type Proven } from '../../books/proofs/checking.ts'
import { toJson } from '../../lib/json.ts'
import { type Environment, serverOf, withUsageStatus } from './access.ts'
import { print, printable, UserError } from './terminal.ts'

const answerWithinMs = 15_000

/** Adds `bursar receipt …`. @param out prints a line */
export function addReceiptCommand(
  program: Command,
  env: Environment,
  out: (line: string) => void = print,
): void {
  const receipt = program
    .command('receipt')
    .description('receipts of transactions, as GET /transactions/{id}/receipt gives them')
  withUsageStatus(receipt.command('verify'))
    .description(
      'check what a receipt proves: by its hashes, and by who signed the proofs of its days',
    )
    .argument('<file>', 'the receipt')
    .option(
      '--keys <file>',
      'GET /proofs/keys, kept from before: nothing is asked; without it, the server is',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit codes: 0 it is proven, 1 it is not.')
    .action(async (file: string, { keys, json }: { keys?: string; json?: boolean }) => {
      const given = readJson(file)
      const known = keys === undefined ? await askForKeys(serverOf(env)) : readJson(keys)
      const proven = check(given, known)
      if (json) return out(toJson(proven))
      const { business, mode, transaction, postings, days } = proven
      out(printable(`PROVEN  transaction ${transaction} of business ${business}, ${mode} mode`))
      for (const { posted_at, kind, amount, currency, debit, credit } of postings)
        out(printable(`  ${posted_at}  ${kind}  ${amount} ${currency}  ${debit} → ${credit}`))
      for (const { day, cell, root, key } of days)
        out(
          printable(`  in the proof of ${day} (cell ${cell}), root ${root}, signed by key ${key}`),
        )
      out('This proves these postings. It does not prove that the transaction has no others.')
    })
}

function check(receipt: unknown, keys: unknown): Proven {
  try {
    return checkReceipt(receipt, keys)
  } catch (error) {
    if (error instanceof NotProven) throw new UserError(`NOT PROVEN: ${printable(error.message)}.`)
    throw error
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? 'is not JSON'
        : `cannot be read (${(error as NodeJS.ErrnoException).code})`
    throw new UserError(`${file} ${why}.`)
  }
}

/** @throws {UserError} */
async function askForKeys(url: string): Promise<unknown> {
  try {
    const answer = await fetch(`${url}/proofs/keys`, {
      redirect: 'error',
      signal: AbortSignal.timeout(answerWithinMs),
    })
    if (answer.ok) return await answer.json()
  } catch {
    // Said below.
  }
  throw new UserError(
    `${url}/proofs/keys does not answer: give the keys by --keys, or the server by BURSAR_URL.`,
  )
}
