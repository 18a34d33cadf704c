/**
 * What moved at an account at Paystack, by its lists: payments, transfers, refunds, settlements and
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
 * Asked for one by one, as the filter is documented with `pending` as its default. What changes
 * meanwhile is read last as it is then.
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

/** How long a refund may take: it is listed by when it was asked for. */
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
  // What is on its way back is not back yet.
  if (left <= 0n) return { movement, currency: 'ngn', givenBack: row.status === 'reversed' }
  // What was given back of it is nobody's any more.
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

/** What a row of the balance's history is about, in lower case. */
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
  // One that names no amount, or no currency, is of the whole payment, as its transaction has it.
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

/** Of rows that were listed twice, as they changed meanwhile, the last. */
const byId = (rows: Row[]): Iterable<Row> =>
  new Map(rows.map((row) => [String(row.id), row])).values()

/** @throws {Error} where Paystack leaves out what a row is nothing without */
function amountIn(row: Row, name: string): bigint {
  return wholeOf(row[name]) ?? fail(row, name)
}
function fail(row: Row, name: string): never {
  throw new Error(`Paystack lists ${String(row.id)} without a readable ${name}`)
}
const createdOf = (row: Row): Date => createdIn(row) ?? fail(row, 'createdAt')

/** How a model of the balance's history has changed the balance, by its number. */
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

/** Where the payer bears the fee, it is on top of what was asked for: that is what is paid here. */
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
 * Transfers that are not listed, as they were made before, and that the balance has changed by
 * since: those that came back late.
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
    // Nobody knows of it any more: then no movement explains the balance.
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

/**
 * The balance's history from when the first of some transfers was made: what they took, and what
 * came back.
 */
async function readEarlier(list: List, late: Row[]): Promise<Changes> {
  if (late.length === 0) return () => null
  // The history's times may be a little earlier than the transfer's.
  const from = later(new Date(Math.min(...late.map((row) => createdOf(row).getTime()))), -3_600_000)
  return changesIn(await list('/balance/ledger', { since: { from, at: createdIn } }))
}

/**
 * What it took is in the balance's history; else it is the amount and the fee that its row names.
 */
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

/** Paystack takes what it refunds as soon as it is asked to, and puts it back when that fails. */
function refundOf(row: Row): Movement {
  const state = refundStates[String(row.status)] ?? 'open'
  const amount = amountIn(row, 'amount')
  return {
    kind: 'refund',
    state,
    amount,
    fee: 0n,
    providerId: String(row.id),
    // The id of ours in its note. Others' notes may name people.
    reference: noteIn(row),
    effect: state === 'ended' ? 0n : -amount,
    at: createdOf(row),
  }
}

/** Reads a list of the account. */
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

/** One that is in the balance's history went there, and not to the bank. */
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
 * [U] What payers paid and no settlement has, less what was refunded out of it since the last.
 * Paystack says no sum of it. A payment that is in the balance's history is in the balance already.
 */
function unsettledOf(
  { from, payments, refunds, settlements, history }: Moved,
  changes: Changes,
): bigint {
  const settled = new Set(settlements.flatMap((one) => one.payments))
  const waiting = payments.filter(
    ({ providerId }) => !settled.has(providerId) && !changes('transaction', providerId),
  )
  // Of what was before, neither payments nor settlements are listed.
  const last = settlements.reduce(
    (latest, { at }) => Math.max(latest, at.getTime()),
    from.getTime(),
  )
  const nameless = namelessIn(history, refunds)
  const back = refunds
    // One that failed was put back where it was taken from.
    .filter(({ movement }) => movement.state !== 'ended' && movement.at.getTime() >= last)
    // What of it was taken from the balance is in its history.
    .map(({ row, movement }) => {
      const taken = changes('refund', row.id)?.sum ?? nameless.get(movement.providerId) ?? 0n
      return movement.effect - taken
    })
  return [...waiting.map(({ effect }) => effect), ...back].reduce((sum, one) => sum + one, 0n)
}

/**
 * What was taken from the balance for each refund, by its number, where the balance's history names
 * none: a row is of the refund that was made nearest to it and is large enough.
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
