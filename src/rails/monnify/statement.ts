/**
 * Movements in the wallet at Monnify, from its transfers and statement, and payments that are
 * settled into it.
 */
import { later } from '../../lib/clock.ts'
import { textOf } from '../http/values.ts'
import type { Movement, ProviderStatement, Settlement, StatementRail } from '../ports/statement.ts'
import type { Account } from './account.ts'
import { timeIn, transferStates } from './confirmed.ts'
import { mayBeReserved, reservedIn, transactions } from './deposits.ts'
import { listSettled, readList } from './lists.ts'
import { isOfTransfer, isTopUp, settlementsIn } from './unconfirmed.ts'
import { nairaIn, readWallet } from './wallet.ts'

type Row = Record<string, unknown>

/** How long a transfer, which is listed by its creation time, may still change. */
const transferMs = 45 * 86_400_000

const states = {
  open: 'open',
  code: 'open',
  done: 'done',
  back: 'returned',
  failed: 'ended',
} as const

/**
 * @param takes whether payers pay to reserved accounts there, whose money is settled into the
 * wallet
 */
export function monnifyStatement(account: Account, takes: boolean): StatementRail {
  /** Complete payments of the last read, which do not change while they are listed as paid. */
  const known = new Map<string, Movement>()
  return {
    // A sender's bank cannot reclaim a transfer here.
    dispute: async () => null,
    payment: (id) => paymentAt(account, id),
    async read(from, onRead = () => {}) {
      let rows = 0
      const list = async (
        path: `/${string}`,
        since: Date,
        query: Record<string, string>,
      ): Promise<Row[]> => {
        const until = String(account.clock.now().getTime() + 60_000)
        const range = { startDate: String(since.getTime()), endDate: until }
        const found = await readList(account, path, { ...query, ...range })
        rows += found.length
        onRead(rows)
        return found
      }
      const transfers = await list(
        '/api/v2/disbursements/search-transactions',
        later(from, -transferMs),
        {
          sourceAccountNumber: account.wallet,
        },
      )
      const statement = await list(
        `/api/v1/disbursements/wallet/${account.wallet}/statement`,
        from,
        {
          enableTimeFilter: 'true',
        },
      )
      const held = await readWallet(account)
      if (!('amount' in held))
        throw new Error(`Monnify could not be asked for the wallet (${held.is})`)
      const payments = takes ? await readPayments(account, from, known) : []
      rows += payments.length
      onRead(rows)
      const settling = takes
        ? await readSettlements(account, statement)
        : new Map<Row, Settlement>()
      const settlements = [...settling.values()]
      const others = statement.filter((row) => !isOfTransfer(row) && !settling.has(row))
      const settled = new Set(settlements.flatMap((one) => one.payments))
      const waiting = payments.filter(({ providerId }) => !settled.has(providerId))
      return {
        currency: 'ngn',
        movements: [...transfers.map(payoutOf), ...payments],
        settlements,
        topUps: others.filter(isTopUp).map(changeIn),
        others: others
          .filter((row) => !isTopUp(row))
          .map((row) => ({ ...changeIn(row), what: textOf(row.narration) ?? '', of: null })),
        available: held.amount,
        unsettled: waiting.reduce((sum, { effect }) => sum + effect, 0n),
      } satisfies ProviderStatement
    },
  }
}

function fail(row: Row, name: string): never {
  throw new Error(`Monnify lists ${String(row.reference ?? 'a row')} without a readable ${name}`)
}
const amountIn = (row: Row, name: string): bigint => nairaIn(row[name]) ?? fail(row, name)
const dateIn = (row: Row, ...names: string[]): Date =>
  names.map((name) => timeIn(row[name])).find((time) => time !== null) ??
  fail(row, names.join(' or '))

/**
 * A transfer debits its amount and fee from the wallet when accepted; a failed or returned one
 * credits both back.
 */
function payoutOf(row: Row): Movement {
  const state = states[transferStates[String(row.status)] ?? fail(row, 'status')]
  const amount = amountIn(row, 'amount')
  const charged = nairaIn(row.totalFee ?? row.fee ?? 0) ?? fail(row, 'fee')
  // A transfer that waits for a code has debited nothing yet.
  const gone =
    state === 'done' || (state === 'open' && transferStates[String(row.status)] !== 'code')
  return {
    kind: 'payout',
    state,
    amount,
    fee: gone ? charged : 0n,
    providerId: textOf(row.transactionReference) ?? textOf(row.reference) ?? fail(row, 'reference'),
    reference: textOf(row.reference),
    effect: gone ? -(amount + charged) : 0n,
    at: dateIn(row, 'completedOn', 'dateCreated', 'createdOn'),
  }
}

/**
 * Lists payments to reserved accounts.
 * @param known payments that need no query; afterwards, those of this read
 */
async function readPayments(
  account: Account,
  from: Date,
  known: Map<string, Movement>,
): Promise<Movement[]> {
  const until = String(account.clock.now().getTime() + 60_000)
  const range = { from: String(from.getTime()), to: until, paymentStatus: 'PAID' }
  const rows = await readList(account, transactions, range, { page: 'page', size: 'size' })
  const found: Movement[] = []
  for (const row of rows.filter(mayBeReserved)) {
    const id = textOf(row.transactionReference) ?? fail(row, 'transactionReference')
    const payment = known.get(id) ?? (await readPayment(account, id))
    if (payment !== null) found.push(payment)
  }
  known.clear()
  for (const one of found) if (one.fee !== null) known.set(one.providerId, one)
  return found
}

/**
 * Reads a payment from its transaction, because list rows lack the paid amount, the settled amount
 * and the account.
 */
async function readPayment(account: Account, id: string): Promise<Movement | null> {
  const data = await readTransaction(account, id, 'sweep')
  if (data === null) throw new Error(`Monnify lists ${id}, and does not know it`)
  return data.paymentStatus === 'PAID' && reservedIn(data) !== null ? paymentOf(data) : null
}

/**
 * Returns a transaction by Monnify's reference; null if Monnify does not know it.
 * @throws {Error} a sentence, when Monnify does not answer
 */
async function readTransaction(
  { client }: Account,
  id: string,
  urgency: 'ask' | 'sweep',
): Promise<Row | null> {
  const path = `/api/v2/transactions/${encodeURIComponent(id)}` as const
  const answer = await client.ask({ method: 'GET', path, urgency })
  if (answer.is === 'refused') return null
  if (answer.is !== 'answered')
    throw new Error(`Monnify could not be asked for the payment (${answer.is})`)
  return answer.data.transactionReference === id ? answer.data : null
}

/**
 * The fee is not known for each payment; then the paid amount counts as owed until it is settled.
 */
function paymentOf(row: Row): Movement {
  const [amount, settled] = [amountIn(row, 'amountPaid'), nairaIn(row.settlementAmount)]
  return {
    kind: 'payment',
    state: 'done',
    amount,
    reference: null,
    fee: settled === null ? null : amount - settled,
    effect: settled ?? amount,
    providerId: textOf(row.transactionReference) ?? fail(row, 'transactionReference'),
    at: dateIn(row, 'paidOn'),
  }
}

async function paymentAt(account: Account, id: string) {
  const data = await readTransaction(account, id, 'ask')
  if (data?.currency !== 'NGN' || reservedIn(data) === null) return null
  const givenBack = data.paymentStatus === 'REVERSED'
  if (data.paymentStatus === 'PAID')
    return { movement: paymentOf(data), currency: 'ngn' as const, givenBack }
  const movement: Movement = {
    kind: 'payment',
    state: 'open',
    providerId: id,
    reference: null,
    amount: nairaIn(data.amountPaid) ?? 0n,
    fee: null,
    effect: 0n,
    at: timeIn(data.paidOn) ?? account.clock.now(),
  }
  return { movement, currency: 'ngn' as const, givenBack }
}

/**
 * Settlements into the wallet, which the provider still owes as before. A sender can write any
 * text, so only a reference for which Monnify lists payments is a settlement, and of two rows with
 * one reference only the first.
 */
async function readSettlements(account: Account, statement: Row[]): Promise<Map<Row, Settlement>> {
  const found = new Map<Row, Settlement>()
  const known = new Set<string>()
  for (const row of statement)
    for (const reference of settlementsIn(row)) {
      if (known.has(reference) || found.has(row)) continue
      const within = await listSettled(account, reference)
      const payments = within.flatMap((one) => textOf(one.transactionReference) ?? [])
      if (payments.length === 0) continue
      known.add(reference)
      found.set(row, {
        providerId: reference,
        amount: amountIn(row, 'amount'),
        to: 'balance',
        payments,
        at: dateIn(row, 'transactionDate'),
      })
    }
  return found
}

/** A change of the wallet that is no transfer. */
function changeIn(row: Row): { providerId: string; amount: bigint; at: Date } {
  const amount = amountIn(row, 'amount')
  return {
    providerId: textOf(row.walletTransactionReference) ?? fail(row, 'walletTransactionReference'),
    amount: row.transactionType === 'CREDIT' ? amount : -amount,
    at: dateIn(row, 'transactionDate'),
  }
}
