/** Journals of a business for plain-text accounting, streamed from the ledger's postings. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { dayOf } from '../../lib/days.ts'
import { refuseInput } from '../../lib/errors.ts'
import { modeOf } from '../../lib/mode.ts'
import type { Static } from '../../lib/schema.ts'
import type { PostingKind } from '../ledger/ledger.ts'
import { type Business, getBusiness, rangeOf } from '../profiles/profiles.ts'
import { type Accounts, heldAs, kinds, type Role, readAccounts, roleOf } from './accounts.ts'
import { refuse } from './refusals.ts'
import type { JournalQuery } from './schema.ts'
import { type EntryRow, type HeldRow, selectCurrencies, selectEntries, selectHeld } from './sql.ts'
import { inWindows } from './windows.ts'
import { type Entry, type Head, type Leg, type Writer, writers } from './writers.ts'

export { titleOf } from './accounts.ts'
export { journalRefusals } from './refusals.ts'
export { inWindows } from './windows.ts'
export { journalFormats } from './writers.ts'

type Query = Static<typeof JournalQuery>

const batchSize = 5_000
const tags = ['posting', 'transaction', 'record'] as const
const heldRoles: readonly Role[] = Object.values(heldAs)
const left = (Object.keys(kinds) as PostingKind[]).filter((one) => kinds[one] === null)

/** The postings of a journal, and what the accounts held before and after them. */
type Period = {
  from: Date
  to: Date
  /** Postings at and above it are left out: they may not all be visible yet. */
  horizon: bigint
  timeZone: string
  opening: Leg[]
  closing: Leg[]
}

/**
 * Returns the journal of a period as text. Amounts are those of the ledger, to the minor unit; the
 * last lines state what the wallets hold, so the program that reads it checks it.
 * @throws {Refusal} `validation_failed`, `unbalanced_period` if the postings from the first on do
 * not make the balances
 */
export async function journal(ctx: Ctx, query: Query): Promise<AsyncIterable<string>> {
  const accounts = readAccounts(query.accounts)
  return ctx.snapshot(async (view) => {
    const business = await getBusiness(view)
    const rows = await view.rows(selectCurrencies)
    const period = await periodOf(view, query, { accounts, business, horizon: rows[0]?.horizon })
    const head = headOf(view, { accounts, business, currencies: rows.map((row) => row.currency) })
    return write(ctx, { writer: writers[query.format], period, head, accounts })
  })
}

type Known = { accounts: Accounts; business: Business }

async function periodOf(
  view: View,
  query: Query,
  // An account of each wallet is there from the beginning, and with it the horizon.
  { accounts, business, horizon = 0n }: Known & { horizon: bigint | undefined },
): Promise<Period> {
  const { now } = view.scope
  const { time_zone: timeZone, created_at: since } = business
  const asked = await rangeOf(view, query, timeZone)
  const to = asked.to !== undefined && asked.to < now ? asked.to : now
  // Nothing was posted before the business was there.
  const from = asked.from !== undefined && asked.from > since ? asked.from : since
  if (asked.from !== undefined && asked.from > (asked.to ?? now)) rejectOrder(asked.to)
  const held = await view.rows(selectHeld, [from, to, horizon, Object.keys(heldAs)])
  if (from === since && held.some(({ opening }) => opening !== 0n))
    refuse(
      'unbalanced_period',
      'The balances do not follow from the postings, so no journal was written. Ask the operator of the server to run `bursar ledger verify`.',
    )
  return {
    from,
    to,
    horizon,
    timeZone,
    opening: legsOf(held, 'opening', accounts),
    closing: legsOf(held, 'closing', accounts),
  }
}

function rejectOrder(to: Date | undefined): never {
  const [path, problem] =
    to === undefined ? ['from', 'must not be in the future'] : ['to', 'must not be before from']
  refuseInput([{ path, message: `${path} ${problem}`, location: 'query' }])
}

function headOf(
  { scope }: View,
  { accounts, business, currencies }: Known & Pick<Head, 'currencies'>,
): Head {
  const name = business.name.replaceAll(/\p{Cc}/gu, ' ')
  return {
    title: `${name}, ${modeOf(scope.livemode)} mode, by Bursar`,
    accounts: [...new Set(Object.values(accounts))].toSorted(),
    currencies,
    tags,
  }
}

/** What the accounts hold, by account and currency. Roles can share an account. */
function legsOf(held: HeldRow[], at: 'opening' | 'closing', accounts: Accounts): Leg[] {
  const legs = new Map<string, Leg>()
  for (const row of held) {
    const account = accounts[heldAs[row.purpose]]
    const key = `${account} ${row.currency}`
    const amount = row[at] + (legs.get(key)?.amount ?? 0n)
    legs.set(key, { account, amount, currency: row.currency })
  }
  return [...legs.values()]
}

type Writing = { writer: Writer; period: Period; head: Head; accounts: Accounts }

async function* write(
  ctx: Ctx,
  { writer, period, head, accounts }: Writing,
): AsyncGenerator<string> {
  const { from, to, timeZone, opening, closing } = period
  yield writer.head(head)
  for (const leg of opening.filter(({ amount }) => amount !== 0n))
    yield writer.entry(openingEntry(dayOf(from, timeZone), leg, accounts))
  for await (const rows of postingsOf(ctx, period))
    yield rows.map((row) => writer.entry(entryOf(row, timeZone, accounts))).join('')
  const lastDay = dayOf(new Date(Math.max(from.getTime(), to.getTime() - 1)), timeZone)
  yield writer.balances(
    lastDay,
    closing.filter(({ account }) => isHeldAlone(account, accounts)),
  )
}

/**
 * Whether only balances that the ledger has are in an account, so that it can be stated. Beancount
 * adds what is in accounts below it.
 */
const isHeldAlone = (account: string, accounts: Accounts): boolean =>
  (Object.keys(accounts) as Role[]).every(
    (role) =>
      !accounts[role].startsWith(`${account}:`) &&
      (accounts[role] !== account || heldRoles.includes(role)),
  )

const openingEntry = (at: string, leg: Leg, accounts: Accounts): Entry => ({
  day: at,
  title: 'Opening balance',
  reference: '',
  tags: {},
  legs: [leg, { ...leg, account: accounts.opening, amount: -leg.amount }],
})

/**
 * A posting as the business sees it. In the ledger, a wallet is what the server owes the business;
 * here it is what the business has, so the sides are exchanged.
 */
function entryOf(row: EntryRow, timeZone: string, accounts: Accounts): Entry {
  const kind = kinds[row.kind]
  if (kind === null) throw new Error(`the posting ${row.id} is not the business's`)
  const { amount, currency } = row
  const outside = row.of_refund ? 'refunds' : kind.outside
  return {
    day: dayOf(row.posted_at, timeZone),
    title: kind.title,
    reference: row.reference ?? '',
    tags: { posting: String(row.id), transaction: row.transaction_id, record: row.subject },
    legs: [
      { account: accounts[roleOf(row.credit, outside)], amount, currency },
      { account: accounts[roleOf(row.debit, outside)], amount: -amount, currency },
    ],
  }
}

/** Reads the postings of a period in batches, in the order of their times. */
const postingsOf = (ctx: Ctx, { horizon, ...period }: Period): AsyncGenerator<EntryRow[]> =>
  inWindows(period, batchSize, (from, to, after) =>
    ctx.rows(selectEntries, [from, to, horizon, after, left, batchSize]),
  )
