/**
 * What can be known of the lines of a batch before they are payouts: all that is wrong with one but
 * what only a bank, or the moment, can say. Nobody is asked.
 */
import type { Work } from '../../core/inside.ts'
import { Refusal } from '../../lib/errors.ts'
import type { WalletCurrency } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { values } from '../../lib/typebox.ts'
import { findBeneficiaries, openPayees } from '../beneficiaries/beneficiaries.ts'
import { payeeRulesOf } from '../limits/limits.ts'
import { checkOrder, type NewPayout, refuseDuplicate, takenReferences } from '../payouts/payouts.ts'
import { type BatchIn, mostRow, PayoutLine } from './schema.ts'

/** A line as its payout is asked for. */
export type Line = Static<typeof PayoutLine> & { reference: string }

type Wrong = { field: string | null; code: string; message: string }
/** A line that was checked. `input` is as it came where it cannot be read. */
export type Checked = {
  input: Record<string, unknown>
  order: NewPayout | null
  wrong: Wrong | null
}

/**
 * Checks lines, each as if those before it were payouts. Amounts are not held against the wallet.
 */
export async function checkLines(
  work: Work,
  { reference, currency, lines }: Static<typeof BatchIn>,
): Promise<Checked[]> {
  const read = lines.map((raw, i) => readLine(raw, `${reference}-${i + 1}`))
  const good = read.filter((one) => one.line !== null).map(({ line }) => line as Line)
  const ids = [
    ...new Set(good.flatMap(({ beneficiary }) => (beneficiary === undefined ? [] : [beneficiary]))),
  ]
  const [payees, used] = await Promise.all([
    findBeneficiaries(work, ids),
    takenReferences(
      work,
      good.map((line) => line.reference),
    ),
  ])
  const seen = new Set<string>(used)
  const checked = read.map(({ line, wrong, raw }): Checked => {
    if (line === null) return { input: raw, order: null, wrong }
    try {
      if (seen.has(line.reference)) refuseDuplicate(line.reference)
      const order = checkOrder(
        work,
        payoutOf(line, currency),
        payees.get(line.beneficiary as string) ?? null,
      )
      seen.add(line.reference)
      return { input: line, order, wrong: null }
    } catch (error) {
      return { input: line, order: null, wrong: wrongOf(error) }
    }
  })
  return checkPayees(work, checked)
}

/**
 * Whether each may be paid to whom it says, by who acts, and whether so much is let out at once.
 */
async function checkPayees(work: Work, checked: Checked[]): Promise<Checked[]> {
  const { payoutsByKey, refuseLarge } = await payeeRulesOf(work)
  const listed = payoutsByKey === 'beneficiaries' && work.scope.actor?.type === 'key'
  const orders = checked.flatMap(({ order }) => (order ? [order] : []))
  const refusePayee = await openPayees(
    work.tx,
    orders.map(({ scope, destination, beneficiary }) => ({
      scope,
      destination,
      beneficiary,
      listed,
    })),
  )
  let place = 0
  return checked.map((one) => {
    if (one.order === null) return one
    try {
      refusePayee(place++)
      refuseLarge(one.order.input.currency, one.order.amount)
      return one
    } catch (error) {
      return { ...one, order: null, wrong: wrongOf(error) }
    }
  })
}

/** What such a payout is asked for. The method follows from where it goes, where it is not said. */
export function payoutOf({ row: _row, ...line }: Line, currency: WalletCurrency) {
  const { method, beneficiary, destination } = line
  const payout = { ...line, currency }
  if (method !== undefined || beneficiary !== undefined) return payout
  return {
    ...payout,
    method: destination?.chain === undefined ? ('bank_transfer' as const) : ('crypto' as const),
  }
}

/** The row of a line in the caller's file, if it says one. */
export const rowOf = ({ row }: Record<string, unknown>): number | null =>
  Number.isSafeInteger(row) && (row as number) > 0 && (row as number) <= mostRow
    ? (row as number)
    : null

const fieldOf: Record<string, string> = {
  duplicate_reference: 'reference',
  amount_too_small: 'amount',
  amount_too_large: 'amount',
  operator_limit_exceeded: 'amount',
  limit_exceeded: 'amount',
  beneficiary_not_found: 'beneficiary',
  beneficiary_cooling_off: 'beneficiary',
  unknown_bank: 'destination.bank_code',
  unsupported_chain: 'destination.chain',
  invalid_address: 'destination.address',
  invalid_destination: 'destination',
  currency_mismatch: 'destination.currency',
  destination_not_allowed: 'destination',
}

/** @throws what is no refusal */
function wrongOf(error: unknown): Wrong {
  if (!(error instanceof Refusal)) throw error
  const { code, message, data } = error
  const [issue] = Array.isArray(data) ? (data as { path: string }[]) : []
  return { field: issue?.path ?? fieldOf[code] ?? null, code, message }
}

type Read = { raw: Record<string, unknown>; line: Line | null; wrong: Wrong | null }

/** Reads a line as the API would. Codes may be in capitals, as they may elsewhere. */
function readLine(given: Record<string, unknown>, reference: string): Read {
  const raw: Record<string, unknown> = { ...given, reference: given.reference ?? reference }
  lower(raw, ['method'])
  if (typeof raw.destination === 'object' && raw.destination !== null) {
    raw.destination = { ...raw.destination }
    lower(raw.destination as Record<string, unknown>, [
      'currency',
      'chain',
      'country',
      'account_type',
    ])
  }
  const [error] = values()
    .Value.Errors(PayoutLine, raw)
    .filter(({ keyword }) => keyword !== 'boolean')
  if (!error) return { raw, line: raw as Line, wrong: null }
  const { instancePath, params, message } = error as {
    instancePath: string
    params: Record<string, unknown>
    message: string
  }
  const [more] = (params.additionalProperties ?? params.requiredProperties ?? []) as string[]
  const path = [
    ...instancePath.split('/').filter(Boolean),
    ...(more === undefined ? [] : [more]),
  ].join('.')
  const words = params.additionalProperties
    ? 'is no field of a line'
    : params.requiredProperties
      ? 'is required'
      : (wordsOf(instancePath) ?? message)
  return {
    raw,
    line: null,
    wrong: { field: path, code: 'validation_failed', message: `${path} ${words}` },
  }
}

/** What the schema of a field says of it in words. */
function wordsOf(path: string): string | undefined {
  let schema = PayoutLine as unknown as Record<string, never>
  for (const name of path.split('/').filter(Boolean))
    schema = (schema?.properties as never)?.[name] ?? schema
  if (path === '/amount') return 'must be a whole number of minor units, 1 or more'
  return schema['x-message']
}

function lower(of: Record<string, unknown>, fields: string[]): void {
  for (const field of fields)
    if (typeof of[field] === 'string') of[field] = (of[field] as string).toLowerCase()
}
