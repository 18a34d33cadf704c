/** Writes journals in the formats of hledger, Ledger and Beancount. Pure: text in, text out. */
import { dayAfter } from '../../lib/days.ts'
import { type Currency, decimalOf, decimals, type TokenUnit } from '../../lib/money.ts'

export const journalFormats = ['hledger', 'ledger', 'beancount'] as const
export type JournalFormat = (typeof journalFormats)[number]

/** An amount in the smallest units of its currency; above zero: a debit. */
export type Leg = { account: string; amount: bigint; currency: Currency | TokenUnit }

export type Entry = {
  /** Such as 2026-11-21. */
  day: string
  title: string
  /** The transaction's reference, or ''. */
  reference: string
  /** Ids by their names, which the entry is tagged with. */
  tags: Readonly<Record<string, string>>
  legs: readonly Leg[]
}

export type Head = {
  title: string
  /** Every account and currency that the journal may have. */
  accounts: readonly string[]
  currencies: readonly (Currency | TokenUnit)[]
  tags: readonly string[]
}

export type Writer = {
  head(head: Head): string
  entry(entry: Entry): string
  /** States what accounts hold after the last entry. @param day the last day of the journal */
  balances(day: string, legs: readonly Leg[]): string
}

const partsOf = (currency: string): { commodity: string; places: number } => {
  const [name = '', places = decimals] = currency.split('/')
  return { commodity: name.toUpperCase(), places: Number(places) }
}

/** An amount without separators of thousands, and its commodity: `-1234.50 NGN`. */
function amountText({ amount, currency }: Pick<Leg, 'amount' | 'currency'>): string {
  const { commodity, places } = partsOf(currency)
  return `${decimalOf(amount, places)} ${commodity}`
}

/** The commodities of currencies, with the most decimals of each. */
function commoditiesOf(currencies: Head['currencies']): [commodity: string, places: number][] {
  const most = new Map<string, number>()
  for (const { commodity, places } of currencies.map(partsOf))
    most.set(commodity, Math.max(places, most.get(commodity) ?? 0))
  return [...most].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const titleOf = ({ title, reference }: Entry): string =>
  reference === '' ? title : `${title} ${reference}`

const legLine = (leg: Leg, after = ''): string => `    ${leg.account}  ${amountText(leg)}${after}\n`

/** What hledger and Ledger have in common. */
const plain = {
  entry: (entry: Entry): string =>
    `${entry.day} * ${titleOf(entry)}\n${Object.entries(entry.tags)
      .map(([name, id]) => `    ; ${name}: ${id}\n`)
      .join('')}${entry.legs.map((leg) => legLine(leg)).join('')}\n`,
  balances: (day: string, legs: readonly Leg[]): string =>
    legs.length === 0
      ? ''
      : `${day} * Balances\n${legs
          .map((leg) => legLine({ ...leg, amount: 0n }, ` = ${amountText(leg)}`))
          .join('')}\n`,
}

const accountLines = (accounts: readonly string[]): string =>
  accounts.map((account) => `account ${account}\n`).join('')

const hledger: Writer = {
  ...plain,
  head: ({ title, accounts, currencies }) =>
    `; ${title}\n\n${commoditiesOf(currencies)
      .map(([commodity, places]) => `commodity 1000.${'0'.repeat(places)} ${commodity}\n`)
      .join('')}${accountLines(accounts)}\n`,
}

const ledger: Writer = {
  ...plain,
  head: ({ title, accounts, currencies, tags }) =>
    `; ${title}\n\n${commoditiesOf(currencies)
      .map(
        ([commodity, places]) =>
          `commodity ${commodity}\n    format 1000.${'0'.repeat(places)} ${commodity}\n`,
      )
      .join('')}${accountLines(accounts)}${tags.map((tag) => `tag ${tag}\n`).join('')}\n`,
}

/** A text in quotes, as Beancount reads it. */
const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** The day before all entries, on which accounts are opened. */
const openDay = '1970-01-01'

const beancount: Writer = {
  head: ({ title, accounts, currencies }) =>
    `option "title" ${quoted(title)}\n\n${commoditiesOf(currencies)
      .map(([commodity]) => `${openDay} commodity ${commodity}\n`)
      .join('')}${accounts.map((account) => `${openDay} open ${account}\n`).join('')}\n`,
  entry: (entry) =>
    `${entry.day} * ${quoted(entry.title)} ${quoted(entry.reference)}\n${Object.entries(entry.tags)
      .map(([name, id]) => `  ${name}: ${quoted(id)}\n`)
      .join('')}${entry.legs.map((leg) => legLine(leg)).join('')}\n`,
  // A balance is that of the beginning of its day. Without `~ 0`, Beancount would accept a
  // balance that is one unit of the last decimal off.
  balances: (day, legs) =>
    legs
      .map((leg) => {
        const [amount = '', commodity = ''] = amountText(leg).split(' ')
        return `${dayAfter(day, 1)} balance ${leg.account}  ${amount} ~ 0 ${commodity}\n`
      })
      .join(''),
}

export const writers: Record<JournalFormat, Writer> = { hledger, ledger, beancount }
