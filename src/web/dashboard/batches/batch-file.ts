/** The file of a batch: the lines that it asks for, and templates to fill in. */
import type { BodyOf } from '../../../core/operations.ts'
import { CsvFault, type CsvRow, csvFile, readCsv } from '../../../lib/csv.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import { type Currency, walletCurrencies } from '../../../lib/money.ts'
import { unshowable } from '../../../lib/text.ts'
import { columnSign, moneyFault, readMoney } from '../../../lib/typed-money.ts'
import { OrderFault, readPain001 } from '../../../paying-out/batches/batches.ts'
import type { BusinessPage, Visit } from '../place.ts'

type Line = BodyOf<'createPayoutBatch'>['lines'][number]

const own = ['reference', 'amount', 'beneficiary', 'description'] as const
const ofDestination = [
  'bank_code',
  'account_number',
  'account_name',
  'country',
  'routing_number',
  'account_type',
  'currency',
  'chain',
  'address',
] as const
const columns: readonly string[] = [...own, ...ofDestination]

const wrong = (message: string): never => refuseInput([{ path: 'csv', message, location: 'body' }])

/**
 * The amounts of a file's column in minor units; null for one that is none. All are read by one
 * decimal sign.
 * @throws {Refusal} `validation_failed` when an amount has two readings, or two amounts have
 * another sign each
 */
function amountsOf(
  rows: readonly CsvRow[],
  locale: string,
  currency: Currency | undefined,
): (number | null)[] {
  const texts = rows.map(({ cells }) => cells.amount ?? '')
  const sign = columnSign(texts, locale, currency)
  if (sign !== null && typeof sign === 'object') {
    const [comma, point] = sign.lines.map((at) => rows[at]?.row)
    return wrong(
      `The amounts have a comma before their decimals in row ${comma}, and a point in row ${point}. Write all of them in one way.`,
    )
  }
  return rows.map(({ row }, at) => {
    const text = texts[at] as string
    const read = readMoney(text, locale, currency, sign)
    if (read.amount !== null) return Number(read.amount)
    return read.readings
      ? wrong(`Row ${row}, column amount: ${moneyFault(text, read, locale)}`)
      : null
  })
}

/**
 * The lines of a file as the API takes them: of CSV, or of payment orders in XML. An amount of CSV
 * that is none stays as it is, for the API to name its line.
 */
export function linesOf(text: string, locale: string, currency: Currency | undefined): Line[] {
  if (/^\ufeff?\s*</.test(text)) return ordersIn(text, currency)
  const rows = rowsOf(text)
  if (rows.length === 0) wrong('There is no line below the names of the columns.')
  const amounts = amountsOf(rows, locale, currency)
  return rows.map(({ cells, row }, at) => {
    const pick = (from: readonly string[]): Line =>
      Object.fromEntries(
        from.flatMap((name) => (cells[name] === undefined ? [] : [[name, cells[name]]])),
      )
    const destination = pick(ofDestination)
    const amount = amounts[at] ?? null
    return {
      row,
      ...pick(own),
      ...(amount === null ? {} : { amount }),
      ...(Object.keys(destination).length > 0 ? { destination } : {}),
    }
  })
}

function ordersIn(text: string, currency: Currency | undefined): Line[] {
  const wallet = walletCurrencies.find((one) => one === currency)
  try {
    return readPain001(text, wallet ?? wrong('Choose the wallet to pay from.'))
  } catch (error) {
    if (error instanceof OrderFault) return wrong(error.message)
    throw error
  }
}

function rowsOf(text: string): CsvRow[] {
  try {
    const rows = readCsv(text, columns, ['amount'])
    for (const { row, cells } of rows)
      for (const [column, cell] of Object.entries(cells)) {
        const fault = unshowable(cell, { ofBody: true })
        if (fault) return wrong(`Row ${row}, column ${column}: it ${fault}.`)
      }
    return rows
  } catch (error) {
    if (error instanceof CsvFault) return wrong(error.message)
    throw error
  }
}

/**
 * Templates by what they pay to: title, columns, and a line that shows how they are filled in. It
 * has no amount, so that a template that is sent as it is pays nobody.
 */
const templates: Record<string, readonly [title: string, columns: string[], example: string[]]> = {
  ng: [
    'Bank accounts in Nigeria',
    ['reference', 'amount', 'bank_code', 'account_number', 'account_name', 'description'],
    ['', '', '058', '0123456789', 'Ada Obi', 'An example: replace this line'],
  ],
  us: [
    'Bank accounts in the United States',
    [
      'reference',
      'amount',
      'country',
      'routing_number',
      'account_number',
      'account_name',
      'account_type',
      'description',
    ],
    ['', '', 'us', '021000021', '12345678', 'Ada Obi', 'checking', 'An example: replace this line'],
  ],
  crypto: [
    'Addresses on a blockchain',
    ['reference', 'amount', 'currency', 'chain', 'address', 'description'],
    ['', '', 'usdc', 'base', '', 'An example: replace this line'],
  ],
  saved: ['Your beneficiaries', ['reference', 'amount', 'beneficiary', 'description'], []],
}

const templatePath = '/payout-batches/-/template'

/** The links to the templates, for above the form. */
export const templateLinks = ({ base }: Pick<Visit, 'base'>): Html =>
  html`<section class="sheet"><p>Download a template, fill it in with your spreadsheet, and save it as CSV:</p><ul>${Object.entries(
    templates,
  ).map(
    ([name, [title]]) =>
      html`<li><a href="${base}${templatePath}?to=${name}" download>${title}</a></li>`,
  )}</ul></section>`

const mostPayees = 1_000
const payeesPerPage = 100

/** A line for each beneficiary, without an amount. */
async function payeeLines({ api }: Visit): Promise<string[][]> {
  const lines: string[][] = []
  let after: string | undefined
  while (lines.length < mostPayees) {
    const { docs, hasNextPage } = await api.listBeneficiaries({
      query: { limit: payeesPerPage, ...(after ? { after } : {}) },
    })
    lines.push(...docs.map(({ id, label }) => ['', '', id, label]))
    if (!hasNextPage) break
    after = docs.at(-1)?.id
  }
  return lines
}

export const templatePage: BusinessPage = {
  method: 'GET',
  path: templatePath,
  async handler(visit) {
    const { to = '' } = visit.request.query
    const name = Object.hasOwn(templates, to) ? to : 'ng'
    const [, columns, example] = templates[name] as (typeof templates)[string]
    const lines = name === 'saved' ? await payeeLines(visit) : [example]
    return {
      file: csvFile([columns, ...lines], 'programs'),
      contentType: 'text/csv; charset=utf-8',
      name: `payouts-${name}.csv`,
    }
  },
}
