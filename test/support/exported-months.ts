/**
 * The months of a business as an accountant has them: each wallet's opening and closing balance,
 * and the lines of the transactions export between them, added up here and by hledger and
 * Beancount.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Call, Json } from './harness.ts'
import { must } from './harness.ts'
import { findPython, run } from './python.ts'

/**
 * A line of the export: the day in the business's time zone, and by how many minor units the wallet
 * changed.
 */
export type Line = { id: string; day: string; currency: string; type: string; change: bigint }
export type Month = { month: string; wallets: Json[]; lines: Line[] }

/** The months between two, both of them included: `2026-11`. */
export function monthsBetween(first: string, last: string): string[] {
  const at = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1
  return Array.from({ length: at(last) - at(first) + 1 }, (_, i) => {
    const count = at(first) + i
    return `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, '0')}`
  })
}

const firstDay = (month: string): string => `${month}-01`
const lastDay = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0))
    .toISOString()
    .slice(0, 10)
const dayAfter = (day: string): string =>
  new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

/** The export of what became final in a month, as the file has it. */
export async function exportOf(call: Call, month: string): Promise<string> {
  const path = `/transactions/export?completed_from=${firstDay(month)}&completed_to=${lastDay(month)}`
  const { status, body } = await call('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/**
 * Reads statement and export of each month, and asserts that opening and lines come to closing.
 * @returns them, for the journals
 */
export async function assertMonthsTie(call: Call, months: string[]): Promise<Month[]> {
  const found: Month[] = []
  for (const month of months) {
    const { wallets } = await must(call('GET', `/statements/${month}`))
    const lines = linesOf(await exportOf(call, month))
    for (const { day } of lines) assert.equal(day.slice(0, 7), month)
    for (const { currency, opening, closing } of wallets) {
      const own = lines.filter((line) => line.currency === currency)
      const sum = own.reduce((total, { change }) => total + change, 0n)
      assert.equal(
        BigInt(opening) + sum,
        BigInt(closing),
        `${month} ${currency}: ${own.length} lines come to ${sum}`,
      )
    }
    found.push({ month, wallets, lines })
  }
  return found
}

/** What is used here of the columns has no commas and no quotes. */
function linesOf(csv: string): Line[] {
  const [head = '', ...rows] = csv.trimEnd().split('\r\n')
  const names = head.split(',')
  return rows.map((row) => {
    const cells = cellsOf(row)
    assert.equal(cells.length, names.length, row)
    const of = (name: string): string => cells[names.indexOf(name)] as string
    assert.equal(of('status'), 'completed')
    return {
      id: of('id'),
      day: of('completed_at_local').slice(0, 10),
      currency: of('currency'),
      type: of('type'),
      change: BigInt(of('balance_change_minor')),
    }
  })
}

const cellsOf = (row: string): string[] =>
  [...`${row},`.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*)),/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )

const decimal = (amount: bigint | number): string => {
  const digits = String(BigInt(amount) < 0n ? -BigInt(amount) : amount).padStart(3, '0')
  return `${BigInt(amount) < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/**
 * The journal of some months: each wallet opens with its first opening balance, and is asserted to
 * hold its closing balance after each month. Lines stand in the order of their days.
 */
function journalOf(months: Month[], write: Format): string {
  const currencies = (months[0]?.wallets ?? []).map(({ currency }) => currency as string)
  const begins = firstDay(months[0]?.month as string)
  const parts = [write.head(begins, currencies)]
  for (const { currency, opening } of months[0]?.wallets ?? [])
    if (opening !== 0)
      parts.push(write.entry(begins, 'opening', currency, 'Equity:Opening', BigInt(opening)))
  for (const { month, wallets, lines } of months) {
    for (const { id, day, currency, type, change } of lines.toSorted((a, b) =>
      a.day < b.day ? -1 : 1,
    ))
      parts.push(write.entry(day, id, currency, `Equity:Movements:${accountOf(type)}`, change))
    for (const { currency, closing } of wallets)
      parts.push(write.balance(lastDay(month), currency, closing))
  }
  return parts.join('\n')
}

const types = [
  'deposit',
  'payment',
  'payout',
  'payout_return',
  'refund',
  'dispute',
  'fee',
  'share',
  'conversion',
]
const accountOf = (type: string): string =>
  type.replaceAll('_', '-').replace(/^./, (letter) => letter.toUpperCase())
const accounts = [
  'Equity:Opening',
  ...[...types, 'simulated_fund'].map((type) => `Equity:Movements:${accountOf(type)}`),
]
const walletOf = (currency: string): string => `Assets:Wallet:${currency.toUpperCase()}`

type Format = {
  head(begins: string, currencies: string[]): string
  entry(day: string, id: string, currency: string, other: string, change: bigint): string
  /** What a wallet holds at the end of a day. */
  balance(day: string, currency: string, held: number): string
}

const hledger: Format = {
  head: (_begins, currencies) =>
    [
      ...currencies.map((currency) => `commodity ${currency.toUpperCase()} 1000.00`),
      ...[...accounts, ...currencies.map(walletOf)].map((account) => `account ${account}`),
    ].join('\n'),
  entry: (day, id, currency, other, change) =>
    `\n${day} ${id}\n    ${walletOf(currency)}  ${currency.toUpperCase()} ${decimal(change)}\n    ${other}  ${currency.toUpperCase()} ${decimal(-change)}`,
  balance: (day, currency, held) =>
    `\n${day} closing\n    ${walletOf(currency)}  ${currency.toUpperCase()} 0.00 = ${currency.toUpperCase()} ${decimal(held)}`,
}

const beancount: Format = {
  head: (begins, currencies) =>
    [...accounts, ...currencies.map(walletOf)]
      .map((account) => `${begins} open ${account}`)
      .join('\n'),
  entry: (day, id, currency, other, change) =>
    `\n${day} * "${id}"\n  ${walletOf(currency)}  ${decimal(change)} ${currency.toUpperCase()}\n  ${other}  ${decimal(-change)} ${currency.toUpperCase()}`,
  // It is asserted of a day's beginning, and within a tolerance unless another is said.
  balance: (day, currency, held) =>
    `\n${dayAfter(day)} balance ${walletOf(currency)}  ${decimal(held)} ~ 0 ${currency.toUpperCase()}`,
}

/** A program that reads a journal, or why there is none in one line. */
type Tool = {
  name: string
  format: Format
  find(): Promise<{ command: string[] } | { missing: string }>
}

export const journalTools: Tool[] = [
  {
    name: 'hledger',
    format: hledger,
    async find() {
      const { code } = await run('hledger', ['--version'])
      return code === 0
        ? { command: ['hledger', 'check', '--strict', '-f'] }
        : { missing: 'hledger is missing' }
    },
  },
  {
    name: 'Beancount',
    format: beancount,
    async find() {
      const found = await findPython()
      return 'missing' in found
        ? found
        : { command: [found.python, '-m', 'beancount.scripts.check'] }
    },
  },
]

/** Ledger, which reads its own form of the journals that the API exports. */
export const ledgerTool: Pick<Tool, 'name' | 'find'> = {
  name: 'Ledger',
  async find() {
    const { code } = await run('ledger', ['--version'])
    return code === 0
      ? { command: ['ledger', '--pedantic', 'balance', '-f'] }
      : { missing: 'Ledger is missing' }
  },
}

/**
 * Has a program read journals, each in its strict mode.
 * @returns what reads one, with its exit code; or why that could not be tried, in one line
 */
export async function journalReader({
  find,
}: Pick<Tool, 'find'>): Promise<((journal: string) => ReturnType<typeof run>) | string> {
  const found = await find()
  if ('missing' in found) return found.missing
  const [program = '', ...args] = found.command
  return async (journal) => {
    const folder = mkdtempSync(join(tmpdir(), 'bursar-journal-'))
    try {
      const file = join(folder, 'books.journal')
      writeFileSync(file, journal)
      return await run(program, [...args, file])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * Has a program read the months, and compare what it comes to with each closing balance.
 * @returns null; or why that could not be tried, in one line
 */
export async function assertLoads(tool: Tool, months: Month[]): Promise<string | null> {
  const { name, format } = tool
  const check = await journalReader(tool)
  if (typeof check === 'string') return check
  const { code, out, err } = await check(journalOf(months, format))
  assert.equal(code, 0, `${name}: ${out.slice(0, 2_000)}${err.slice(0, 2_000)}`)
  // The program sees a difference of one minor unit.
  const last = months.at(-1) as Month
  const [wallet, ...others] = last.wallets
  const wrong = { ...last, wallets: [{ ...wallet, closing: wallet.closing + 1 }, ...others] }
  assert.notEqual(
    (await check(journalOf([...months.slice(0, -1), wrong], format))).code,
    0,
    `${name} sees nothing`,
  )
  return null
}
