/**
 * Movements at a Paystack account from its lists: payments, transfers, refunds, settlements, and
 * the balance with its history.
 */
import { later } from '../../lib/clock.ts'
import type {
  Dispute,
  ListedPayment,
  Movement,
  ProviderStatement,
  Settlement,
  StatementRail,
} from '../ports/statement.ts'
import { type Account, differenceIn } from './account.ts'
import { readBalance } from './balance.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import { createdIn, type ListOptions, paidIn, type Row, readList, timeIn } from './lists.ts'
import { leftOf, noteIn } from './refund-list.ts'
import { disputeStateOf, isNameless, isTopUp } from './unconfirmed.ts'

/**
 * Queried one by one, because the filter's documented default is `pending`. A row that changes
 * meanwhile is read again under its last status.
 */
const transferStatuses = [
  'otp',
  'pending',
  'received',
  'success',
  'failed',
  'reversed',
  'abandoned',
  'blocked',
  'rejected',
] as const

/** The longest duration of a refund, which is listed by its request time. */
const refundMs = 45 * 86_400_000

export const paystackStatement = (account: Account): StatementRail => ({
  dispute: (providerId) => disputeOf(account, providerId),
  payment: (providerId) => paymentAt(account, providerId),
  read: (from, onRead = () => {}) => readStatement(account, from, onRead),
})

/** @throws {Error} a sentence, when Paystack does not answer */
async function paymentAt(account: Account, providerId: string): Promise<ListedPayment | null> {
  const path = '/transaction/{id}'
  const answer = await account.client.ask({
    method: 'GET',
    path,
    params: { id: providerId },
    urgency: 'ask',
  })
  if (answer.is === 'refused') return null
  const row = answer.is === 'answered' ? asObject(answer.data) : null
  if (row === null) throw new Error(`Paystack could not be asked for the payment (${answer.is})`)
  if (String(row.id) !== providerId || differenceIn(account, row, {}) !== null) return null
  const movement = paymentOf(row)
  if (row.status !== 'success' && row.status !== 'reversed')
    return { movement: { ...movement, state: 'open' }, currency: 'ngn', givenBack: false }
  const left = await leftOf(account, row)
  if (left === null) throw new Error('Paystack could not be asked for the refunds of the payment')
  // A pending refund is not yet refunded.
  if (left <= 0n) return { movement, currency: 'ngn', givenBack: row.status === 'reversed' }
  // The refunded part is no longer claimable.
  const amount = left < movement.amount ? left : movement.amount
  return { movement: { ...movement, amount }, currency: 'ngn', givenBack: false }
}

async function readStatement(
  account: Account,
  from: Date,
  onRead: (rows: number) => void,
): Promise<ProviderStatement> {
  let rows = 0
  const onPage = (found: number): void => {
    rows += found
    onRead(rows)
  }
  const list: List = (path, options) => readList(account, path, { ...options, onPage })
  const since = { from, at: createdIn }
  const transfers: Row[] = []
  for (const status of transferStatuses)
    transfers.push(...(await list('/transfer', { query: { status }, since })))
  const paid: Row[] = []
  for (const status of ['success', 'reversed'])
    paid.push(...(await list('/transaction', { query: { status }, since: { from, at: paidIn } })))
  const refunds = await list('/refund', {
    since: { from: later(from, -refundMs), at: createdIn },
  })
  const settlements = await readSettlements(list, from)
  const history = await list('/balance/ledger', { since })
  const held = await readBalance(account)
  if (!('amount' in held))
    throw new Error(`Paystack could not be asked for the balance (${held.is})`)
  const changes = changesIn(history)
  const late = await readLate(account, transfers, history)
  const earlier = await readEarlier(list, late)
  const payments = [...byId(paid)].map(paymentOf)
  const backs = refunds.map((row) => ({ row, movement: refundOf(row) }))
  const settled = settlements.map((row) => settlementOf(row, changes))
  return {
    currency: 'ngn',
    movements: [
      ...payments,
      ...[...byId(transfers)].map((row) => payoutOf(row, changes)),
      ...late.map((row) => payoutOf(row, earlier)),
      ...backs.map(({ movement }) => movement),
    ],
    settlements: settled.filter(({ amount }) => amount > 0n),
    ...othersIn(history),
    available: held.amount,
    unsettled: unsettledOf(
      { from, payments, refunds: backs, settlements: settled, history },
      changes,
    ),
  } satisfies ProviderStatement
}

/** The lower-case subject type of a row in the balance's history. */
const modelOf = ({ model_responsible }: Row): string =>
  String(model_responsible ?? '').toLowerCase()

const nameIn = (value: unknown): string | null => wholeOf(value)?.toString() ?? textOf(value)

async function disputeOf(account: Account, providerId: string): Promise<Dispute | null> {
  const path = '/dispute/{id}'
  const answer = await account.client.ask({
    method: 'GET',
    path,
    params: { id: providerId },
    urgency: 'ask',
  })
  const row = answer.is === 'answered' ? asObject(answer.data) : null
  const paid = asObject(row?.transaction)
  // Without an amount or currency it concerns the whole payment, as in its transaction.
  const [payment, amount] = [nameIn(paid?.id), wholeOf(row?.refund_amount) ?? wholeOf(paid?.amount)]
  if (row === null || payment === null || amount === null) return null
  const currency = row.currency ?? paid?.currency
  if (nameIn(row.id) !== providerId || differenceIn(account, { ...row, currency }, {}) !== null)
    return null
  const state = disputeStateOf(row)
  if (row.status === 'archived' && row.resolution == null)
    account.report(
      'needs_attention',
      providerId,
      'Paystack has archived a dispute without saying who won it',
    )
  const [reason, dueAt] = [textOf(row.category), timeIn(row.dueAt)]
  return {
    payment,
    reference: textOf(paid?.reference),
    amount,
    currency: 'ngn',
    state,
    reason,
    dueAt,
  }
}

/** Of rows listed twice, because they changed meanwhile, the last. */
const byId = (rows: Row[]): Iterable<Row> =>
  new Map(rows.map((row) => [String(row.id), row])).values()

/** @throws {Error} when Paystack omits a required field */
function amountIn(row: Row, name: string): bigint {
  return wholeOf(row[name]) ?? fail(row, name)
}
function fail(row: Row, name: string): never {
  throw new Error(`Paystack lists ${String(row.id)} without a readable ${name}`)
}
const createdOf = (row: Row): Date => createdIn(row) ?? fail(row, 'createdAt')

/** The balance change by a record, from its type and id in the balance's history. */
type Changes = (model: string, id: unknown) => { sum: bigint } | null

function changesIn(history: Row[]): Changes {
  const sums = new Map<string, bigint>()
  for (const row of history) {
    const key = `${modelOf(row)} ${row.model_row}`
    sums.set(key, (sums.get(key) ?? 0n) + amountIn(row, 'difference'))
  }
  return (model, id) => {
    const sum = sums.get(`${model} ${id}`)
    return sum === undefined ? null : { sum }
  }
}

/**
 * If the payer bears the fee, it is on top of the requested amount; the paid amount is used here.
 */
function paymentOf(row: Row): Movement {
  const whole = amountIn(row, 'amount')
  const amount = wholeOf(row.requested_amount) ?? whole
  const fees = wholeOf(row.fees) ?? 0n
  return {
    kind: 'payment',
    state: 'done',
    providerId: String(row.id),
    reference: textOf(row.reference),
    amount,
    fee: fees - (whole - amount),
    effect: whole - fees,
    at: paidIn(row) ?? fail(row, 'paid_at'),
  }
}

const transferStates: Record<string, Movement['state']> = {
  pending: 'open',
  received: 'open',
  otp: 'open',
  success: 'done',
  reversed: 'returned',
}

/**
 * Returns older, unlisted transfers that changed the balance in this period because they were
 * returned late.
 */
async function readLate(account: Account, listed: Row[], history: Row[]): Promise<Row[]> {
  const changed = history
    .filter((row) => modelOf(row) === 'transfer')
    .map((row) => String(row.model_row))
  const known = new Set(listed.map((row) => String(row.id)))
  const late: Row[] = []
  for (const id of new Set(changed.filter((one) => !known.has(one)))) {
    const answer = await account.client.ask({
      method: 'GET',
      path: '/transfer/{id}',
      params: { id },
      urgency: 'sweep',
    })
    // No record of it remains, so no movement explains the balance.
    if (answer.is === 'refused') continue
    const row = answer.is === 'answered' ? asObject(answer.data) : null
    if (row === null || String(row.id) !== id || differenceIn(account, row, {}) !== null)
      throw new Error(
        `Paystack could not be asked for a transfer that changed its balance (${answer.is})`,
      )
    late.push(row)
  }
  return late
}

/** Returns the balance's history since the first of some transfers: their debits and returns. */
async function readEarlier(list: List, late: Row[]): Promise<Changes> {
  if (late.length === 0) return () => null
  // The history's times may be slightly earlier than the transfer's.
  const from = later(new Date(Math.min(...late.map((row) => createdOf(row).getTime()))), -3_600_000)
  return changesIn(await list('/balance/ledger', { since: { from, at: createdIn } }))
}

/** The debit is in the balance's history; otherwise it is the row's amount plus fee. */
function payoutOf(row: Row, changes: Changes): Movement {
  const amount = amountIn(row, 'amount')
  const state = transferStates[String(row.status)] ?? 'ended'
  const charged = wholeOf(row.fee_charged)
  const taken = changes('transfer', row.id)
  const gone = state === 'done' || (state === 'open' && row.status !== 'otp')
  const fee =
    state === 'done'
      ? (charged ?? (taken && -taken.sum - amount))
      : taken && state !== 'open'
        ? -taken.sum
        : state === 'ended'
          ? 0n
          : null
  return {
    kind: 'payout',
    state,
    amount,
    fee,
    reference: textOf(row.reference),
    providerId: textOf(row.transfer_code) ?? fail(row, 'transfer_code'),
    effect: taken?.sum ?? (gone ? -(amount + (charged ?? 0n)) : 0n),
    at: timeIn(row.updatedAt) ?? timeIn(row.updated_at) ?? createdOf(row),
  }
}

const refundStates: Record<string, Movement['state']> = { processed: 'done', failed: 'ended' }

/** Paystack debits a refund when requested, and credits it back if it fails. */
function refundOf(row: Row): Movement {
  const state = refundStates[String(row.status)] ?? 'open'
  const amount = amountIn(row, 'amount')
  return {
    kind: 'refund',
    state,
    amount,
    fee: 0n,
    providerId: String(row.id),
    // Only our id from its note, because other notes may name people.
    reference: noteIn(row),
    effect: state === 'ended' ? 0n : -amount,
    at: createdOf(row),
  }
}

/** Reads one of the account's lists. */
type List = (path: `/${string}`, options?: ListOptions) => Promise<Row[]>

const settledAt = (row: Row): Date =>
  createdIn(row) ?? timeIn(row.settlement_date) ?? fail(row, 'createdAt')

type SettledRow = { row: Row; payments: string[] }

async function readSettlements(list: List, from: Date): Promise<SettledRow[]> {
  const at = settledAt
  const rows = await list('/settlement', { until: (last) => at(last) < from })
  const settled: SettledRow[] = []
  for (const row of rows.filter((one) => one.status === 'success' && at(one) >= from)) {
    const within = await list('/settlement/{id}/transactions', { params: { id: String(row.id) } })
    settled.push({ row, payments: within.map((one) => String(one.id)) })
  }
  return settled
}

/** A settlement in the balance's history went to the balance, not to the bank. */
function settlementOf({ row, payments }: SettledRow, changes: Changes): Settlement {
  return {
    providerId: String(row.id),
    amount: amountIn(row, 'effective_amount'),
    payments,
    to: (changes('settlement', row.id)?.sum ?? 0n) > 0n ? 'balance' : 'bank',
    at: settledAt(row),
  }
}

const known = ['transaction', 'transfer', 'refund', 'settlement']

function othersIn(history: Row[]): Pick<ProviderStatement, 'topUps' | 'others'> {
  const rows = history
    .filter((row) => !known.includes(modelOf(row)))
    .map((row) => ({
      providerId: String(row.id),
      amount: amountIn(row, 'difference'),
      at: createdOf(row),
      what: textOf(row.model_responsible) ?? '',
      of: nameIn(row.model_row),
      isTopUp: isTopUp(row),
    }))
  return {
    topUps: rows.filter((row) => row.isTopUp && row.amount > 0n),
    others: rows.filter((row) => !row.isTopUp || row.amount <= 0n),
  }
}

type Moved = {
  from: Date
  payments: Movement[]
  refunds: { row: Row; movement: Movement }[]
  settlements: Settlement[]
  history: Row[]
}

/**
 * [U] Payments without a settlement, minus refunds from them since the last one. Paystack gives no
 * total. A payment in the balance's history is already in the balance.
 */
function unsettledOf(
  { from, payments, refunds, settlements, history }: Moved,
  changes: Changes,
): bigint {
  const settled = new Set(settlements.flatMap((one) => one.payments))
  const waiting = payments.filter(
    ({ providerId }) => !settled.has(providerId) && !changes('transaction', providerId),
  )
  // Neither payments nor settlements are listed from before.
  const last = settlements.reduce(
    (latest, { at }) => Math.max(latest, at.getTime()),
    from.getTime(),
  )
  const nameless = namelessIn(history, refunds)
  const back = refunds
    // A failed one was credited back to its source.
    .filter(({ movement }) => movement.state !== 'ended' && movement.at.getTime() >= last)
    // The part debited from the balance is in its history.
    .map(({ row, movement }) => {
      const taken = changes('refund', row.id)?.sum ?? nameless.get(movement.providerId) ?? 0n
      return movement.effect - taken
    })
  return [...waiting.map(({ effect }) => effect), ...back].reduce((sum, one) => sum + one, 0n)
}

/**
 * The balance debit of each refund by its id, where the balance's history names none: a row belongs
 * to the refund nearest in time that is large enough.
 */
function namelessIn(history: Row[], refunds: Moved['refunds']): Map<string, bigint> {
  const found = new Map<string, bigint>()
  for (const row of history.filter((one) => modelOf(one) === 'refund' && isNameless(one))) {
    const [taken, at] = [amountIn(row, 'difference'), createdOf(row).getTime()]
    const far = ({ at: made }: Movement): number => Math.abs(made.getTime() - at)
    let nearest: Movement | null = null
    for (const { movement } of refunds)
      if (taken < 0n && movement.amount >= -taken && !found.has(movement.providerId))
        if (nearest === null || far(movement) < far(nearest)) nearest = movement
    if (nearest !== null) found.set(nearest.providerId, taken)
  }
  return found
}
