/** The commands that call the operator's operations, as a table: what each takes and prints. */
import type { Command } from 'commander'
import { type PositionCurrency, positionCurrencies } from '../../books/exchange/exchange.ts'
import type { AnswerOf } from '../../core/operations.ts'
import { modeOf } from '../../lib/mode.ts'
import { formatMoney, maxAmount } from '../../lib/money.ts'
import { fetchOfficial } from '../../paying-out/conversions/conversions.ts'
import type { CommandContext } from './context.ts'
import { type AnyOperationCommand, addOperationCommands, command } from './operations.ts'
import { UserError } from './terminal.ts'
import { lineReader } from './texts.ts'

type Context = Pick<CommandContext, 'withApp' | 'print'>
type Dispute = AnswerOf<'getOperatorDispute'>
type DocumentReview = AnswerOf<'getOperatorDocument'>
type Entry = AnswerOf<'addScreeningEntry'>
type Positions = AnswerOf<'getExchange'>['positions']
type Rate = Pick<
  AnswerOf<'getExchange'>['rates'][number],
  'id' | 'pair' | 'rate' | 'published_on' | 'status'
>
type Review = AnswerOf<'getReview'>

/** Adds `bursar operator`, `disputes`, `exchange`, `documents` and `screening`. */
export function addOperatorCommands(program: Command, context: Context): void {
  const operator = program.command('operator').description('manage the operator’s own access')
  const keys = operator
    .command('key')
    .description('manage keys for /operator: businesses and their prices')
  addOperationCommands(keys, keyCommands, context)
  const groups = [
    ['disputes', 'decide what is held or taken for disputes', disputeCommands],
    ['exchange', 'show and limit currency positions', exchangeCommands],
    ['documents', 'review customer documents that no provider verifies', documentCommands],
    ['screening', 'decide what screening holds, and keep your own lists', screeningCommands],
  ] as const
  for (const [name, description, commands] of groups) {
    const group = program.command(name).description(description)
    addOperationCommands(group, commands, context)
    if (name === 'exchange') addFetchCommand(group, context)
  }
}

/** Prints the records of a list, or a sentence if there are none. */
const listed =
  <Row>(lineOf: (row: Row) => string, empty: (values: { all?: unknown }) => string) =>
  (rows: Row[], values: { all?: unknown }): string[] =>
    rows.length === 0 ? [empty(values)] : rows.map(lineOf)

const timeOf = (time: Date | string): string => new Date(time).toISOString()

const byOption = {
  text: 'your name, for the record',
  isRequired: true,
  read: lineReader('--by', 200),
} as const
/** An option that fills no field by itself. */
const forFields = (text: string) => ({ text, isField: false }) as const
const noteOption = 'the reason, for the operator only'

const keyCommands = {
  create: command({
    description: 'create a key, which is shown once',
    operation: 'createOperatorKey',
    options: {
      '--name <name>': { text: 'what it is for', default: 'unnamed' },
      '--reviews': 'it may also decide reviews, such as documents',
    },
    lines: ({ key, id }) => [
      key,
      `Key ${id}: for /operator, until it is revoked. Keep it: it is not shown again.`,
    ],
  }),
  list: command({
    description: 'list the keys, without their secrets',
    operation: 'listOperatorKeys',
    lines: (keys) =>
      keys.map(({ id, hint, reviews, revoked_at, last_used_at, last_used_from, name }) => {
        const state = revoked_at ? 'revoked' : 'active '
        const used = last_used_at
          ? `last used ${timeOf(last_used_at)} from ${last_used_from}`
          : 'never used'
        return `${id}  ${hint}  ${state}  ${used}  ${name}${reviews ? '  (reviews)' : ''}`
      }),
  }),
  revoke: command({
    description: 'revoke a key, at once',
    operation: 'revokeOperatorKey',
    arguments: { 'key-id': forFields('the id that `operator key list` shows') },
    fields: (values) => ({ id: values['key-id'] }),
    lines: ({ hint }) => [`Key ${hint} is revoked.`],
  }),
}

const disputeId = { id: 'the dispute' }
const amountOption = {
  '--amount <minor>': 'the amount in minor units (default: the rest)',
}

const disputeCommands = {
  list: command({
    description: 'list those that are open, of all businesses',
    operation: 'listOperatorDisputes',
    options: { '--all': forFields('the newest 1,000, in any state') },
    fields: ({ all }) => (all ? {} : { status: 'open' }),
    lines: listed(disputeLine, ({ all }) => (all ? 'There is no dispute.' : 'No dispute is open.')),
  }),
  show: command({
    description: 'show a dispute as JSON',
    operation: 'getOperatorDispute',
    arguments: disputeId,
  }),
  hold: command({
    description: 'hold money in the merchant’s wallet',
    operation: 'holdForDispute',
    arguments: disputeId,
    options: amountOption,
    lines: (dispute) => [disputeLine(dispute)],
  }),
  take: command({
    description:
      'take money for a lost dispute: the held amount, or a part of the available balance',
    operation: 'takeForDispute',
    arguments: disputeId,
    options: amountOption,
    lines: (dispute) => [disputeLine(dispute)],
  }),
  release: command({
    description: 'return held money to the wallet',
    operation: 'releaseForDispute',
    arguments: disputeId,
    lines: (dispute) => [disputeLine(dispute)],
  }),
}

function disputeLine({ currency, ...dispute }: Dispute): string {
  const { id, livemode, status, amount, held, taken, evidence_due_at } = dispute
  const money = (value: bigint | number): string => formatMoney(BigInt(value), currency)
  const due =
    status === 'open' && evidence_due_at ? `  evidence due ${timeOf(evidence_due_at)}` : ''
  const moved = `held ${money(held)}, taken ${money(taken)}`
  const where = `at ${dispute.rail}, of ${dispute.business}`
  return `${id}  ${modeOf(livemode)}  ${status}  ${money(amount)}  ${moved}  ${where}${due}`
}

const rateId = { id: 'the rate, as `exchange rates` shows it' }

const exchangeCommands = {
  status: command({
    description: 'show the position of each currency (below zero: a shortage)',
    operation: 'getExchange',
    lines: ({ positions }) => positionLines(positions),
  }),
  rates: command({
    description: 'show the latest official rates',
    operation: 'getExchange',
    lines: ({ rates }) =>
      rates.length === 0
        ? ['None was fetched: set EXCHANGE_RATES_URL.']
        : rates.map((rate) => rateLine(rate)),
  }),
  accept: command({
    description: 'accept a rate that moved far',
    operation: 'acceptExchangeRate',
    arguments: rateId,
    lines: () => ['The rate is used from now on.'],
  }),
  refuse: command({
    description: 'never accept a rate that moved far',
    operation: 'refuseExchangeRate',
    arguments: rateId,
    lines: () => ['The rate is not used.'],
  }),
  limit: command({
    description:
      'refuse conversions and payouts that would leave the server short of more than this',
    operation: 'changeExchangeLimits',
    arguments: {
      currency: forFields(positionCurrencies.join(', ')),
      minor: forFields('minor units, or none to lift the limit'),
    },
    fields: ({ currency, minor }) => ({
      currencies: [{ currency: readCurrency(currency), max_short: readLimit(minor) }],
    }),
    lines: ({ positions }) => positionLines(positions),
  }),
}

/** Adds `bursar exchange fetch`, which asks a provider and is no operation. */
function addFetchCommand(exchange: Command, { withApp, print }: Context): void {
  exchange
    .command('fetch')
    .description('fetch the official rates now')
    .action(() =>
      withApp(async (app) => {
        const fetched = await fetchOfficial(app)
        if (fetched.length === 0) throw new UserError('Set EXCHANGE_RATES_URL first.')
        for (const one of fetched) {
          if (!('row' in one))
            throw new UserError(`The rate of ${one.pair} could not be fetched: ${one.error}.`)
          print(rateLine({ ...one.row, pair: one.pair }))
        }
      }),
    )
}

const rateLine = ({ id, pair, rate, published_on, status }: Rate): string =>
  `${id}  ${pair}  ${rate}  of ${published_on}  ${status}`

function readCurrency(text: unknown): PositionCurrency {
  const currency = positionCurrencies.find((one) => one === text)
  if (!currency) throw new UserError(`The currency is one of ${positionCurrencies.join(', ')}.`)
  return currency
}

function readLimit(text: unknown): number | null {
  if (text === 'none') return null
  if (!/^\d{1,16}$/.test(String(text)) || BigInt(String(text)) > maxAmount)
    throw new UserError('The limit is a whole number of minor units, such as 5000000, or none.')
  return Number(text)
}

function positionLines(positions: Positions): string[] {
  if (positions.length === 0) return ['Nothing was exchanged, and nothing is limited.']
  return positions.map(({ mode, currency, balance, promised, max_short }) => {
    const money = (value: bigint | number): string =>
      formatMoney(BigInt(value), currency as PositionCurrency)
    const limit = max_short === null ? 'not limited' : `may be short of ${money(max_short)}`
    const coming = BigInt(promised) > 0n ? `  payouts under way take ${money(promised)}` : ''
    return `${mode}  ${currency}  ${money(balance)}  ${limit}${coming}`
  })
}

const documentId = { id: 'the id that `documents list` shows' }

const documentCommands = {
  list: command({
    description: 'list open reviews of all businesses, the oldest first',
    operation: 'listOperatorDocuments',
    options: { '--all': forFields('also the newest 1,000 decided ones') },
    fields: ({ all }) => (all ? {} : { status: 'pending' }),
    lines: listed(documentLine, ({ all }) =>
      all ? 'No document has needed a review.' : 'No document waits for review.',
    ),
  }),
  show: command({
    description: 'show a document as JSON; with --number also its number, which is recorded',
    operation: ({ number }) => (number ? 'showDocumentNumber' : 'getOperatorDocument'),
    arguments: documentId,
    options: {
      '--number': forFields('the whole number'),
      '--by <name>': { text: 'with --number: who looks', read: byOption.read },
    },
    fields: ({ number, by }) => {
      if ((number === true) !== (by !== undefined))
        throw new UserError('--number and --by <name> go together: who has seen a number is kept.')
      return {}
    },
    lines: (shown, { number }) => (number ? [shown.id_number] : null),
  }),
  review: command({
    description: 'approve or reject a document',
    operation: ({ reject }) => (reject === undefined ? 'approveDocument' : 'rejectDocument'),
    arguments: documentId,
    options: {
      '--approve': forFields('the document belongs to the customer'),
      '--reject <reason>': forFields('it does not: mismatch, not_found or rejected'),
      '--by <name>': { ...byOption, text: 'your name, for the record' },
      '--note <text>': 'the finding, for the operator only',
    },
    fields: ({ approve, reject }) => {
      if ((approve === true) === (reject !== undefined))
        throw new UserError('Say --approve, or --reject with a reason.')
      return { reason: reject }
    },
    lines: (document) => [documentLine(document)],
  }),
}

function documentLine(document: DocumentReview): string {
  const { id, livemode, status, failure_reason, reviewed_by, created_at } = document
  const what = `${document.id_type} ${document.id_number} of ${document.customer_name}`
  const why = failure_reason === null ? '' : ` (${failure_reason})`
  const decided = reviewed_by === null ? '' : `  by ${reviewed_by}`
  return `${id}  ${modeOf(livemode)}  ${status}${why}  ${timeOf(created_at)}  ${what}, at ${document.business}${decided}`
}

const reviewId = { id: 'the id that `screening list` shows' }

const screeningCommands = {
  list: command({
    description: 'list open reviews of all businesses, the oldest first',
    operation: 'listReviews',
    options: { '--all': forFields('also the newest 1,000 closed ones') },
    fields: ({ all }) => (all ? {} : { status: 'waiting' }),
    lines: listed(reviewLine, ({ all }) =>
      all ? 'Screening has never held anything.' : 'Nothing waits for a person.',
    ),
  }),
  release: command({
    description: 'release a held payout or deposit',
    operation: 'releaseReview',
    arguments: reviewId,
    options: {
      '--after-refusal': 'release a deposit that was refused',
      '--by <name>': byOption,
      '--note <text>': noteOption,
    },
    lines: (review) => [reviewLine(review)],
  }),
  refuse: command({
    description: 'reject it: a payout fails and its amount is returned; a deposit stays held',
    operation: 'refuseReview',
    arguments: reviewId,
    options: { '--by <name>': byOption, '--note <text>': noteOption },
    lines: (review) => [reviewLine(review)],
  }),
  entries: command({
    description: 'list the newest 1,000 of your blocked and allowed entries',
    operation: 'listScreeningEntries',
    lines: listed(entryLine, () => 'Your lists are empty.'),
  }),
  block: entryCommand(
    'block',
    'hold payouts to, and deposits from, an address, account or name for review',
  ),
  allow: entryCommand('allow', 'ignore the matches of a list', {
    '--list <name>': {
      text: 'the list, as its hits name it',
      isRequired: true,
      read: lineReader('--list', 100),
    },
  }),
  remove: command({
    description: 'remove an entry from your lists; items it already holds still wait',
    operation: 'removeScreeningEntry',
    arguments: { id: 'the id that `screening entries` shows' },
    options: { '--by <name>': byOption },
    lines: (entry) => [entryLine(entry)],
  }),
}

function entryCommand(
  kind: 'block' | 'allow',
  description: string,
  more: AnyOperationCommand['options'] = {},
): AnyOperationCommand {
  return command({
    description,
    operation: 'addScreeningEntry',
    arguments: {
      type: 'address, account, name',
      value: {
        text: 'the address, the account number, or the name',
        read: lineReader('The value', 200),
      },
    },
    options: { ...more, '--by <name>': byOption, '--note <text>': noteOption },
    fields: () => ({ kind }),
    lines: (entry) => [entryLine(entry)],
  })
}

function reviewLine(review: Review): string {
  const { id, livemode, status, created_at, what, business, decided_by } = review
  const hits = review.hits.map(({ list, matched, value }) => `${list}: ${matched} ${value}`)
  const decided = decided_by === null ? '' : `  by ${decided_by}`
  return `${id}  ${modeOf(livemode)}  ${status}  ${timeOf(created_at)}  ${what}, at ${business}  (${hits.join('; ')})${decided}`
}

function entryLine({ id, kind, type, value, list, made_by }: Entry): string {
  const where = list === null ? '' : `, found on ${list}`
  return `${id}  ${kind}  ${type} ${value}${where}  by ${made_by}`
}
