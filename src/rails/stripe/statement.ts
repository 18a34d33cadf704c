/**
 * Movements in a financial account at Stripe, from its payments and, for all else, its balance
 * entries.
 */
import { later } from '../../lib/clock.ts'
import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { Movement, ProviderStatement, StatementRail } from '../ports/statement.ts'
import type { Account } from './account.ts'
import { readFunds } from './funds.ts'
import { readList } from './lists.ts'
import { whatOf } from './unconfirmed.ts'

type Row = Record<string, unknown>

const states: Record<string, Movement['state']> = {
  processing: 'open',
  posted: 'done',
  returned: 'returned',
  failed: 'ended',
  canceled: 'ended',
}

/** How long a payment, which is listed by its creation time, may still change. */
const paymentMs = 45 * 86_400_000

export function stripeStatement(account: Account, financialAccount: string): StatementRail {
  return {
    // Payers' payments do not come to a financial account.
    dispute: async () => null,
    payment: async () => null,
    async read(from, onRead = () => {}) {
      let rows = 0
      const list = async (path: `/v2/${string}`, since: Date): Promise<Row[]> => {
        const found = await readList(
          account,
          path,
          { 'created[gte]': since.toISOString() },
          'sweep',
        )
        if (found === null) throw new Error(`Stripe did not list all of ${path}`)
        rows += found.length
        onRead(rows)
        return found
      }
      const payments = await list('/v2/money_management/outbound_payments', later(from, -paymentMs))
      const entries = await list('/v2/money_management/transaction_entries', from)
      const held = await readFunds(account, financialAccount)
      if (!('amount' in held))
        throw new Error(`Stripe could not be asked for the financial account (${held.is})`)
      const ours = payments.filter(
        (row) => asObject(row.from)?.financial_account === financialAccount,
      )
      const other = entries
        .filter((row) => asObject(row.transaction_details)?.financial_account === financialAccount)
        .map((row) => ({
          ...changeIn(row),
          kind: whatOf(asObject(row.transaction_details)?.category),
        }))
        .filter(({ kind, amount }) => kind !== 'payment' && amount !== 0n)
      const of = (kind: string) => other.filter((one) => one.kind === kind)
      return {
        currency: 'usd',
        movements: ours.map(payoutOf),
        settlements: of('to_bank').map(({ providerId, amount, at }) => ({
          providerId,
          amount: -amount,
          at,
          to: 'bank' as const,
          payments: [],
        })),
        topUps: of('top_up').map(({ providerId, amount, at }) => ({ providerId, amount, at })),
        others: of('other').map(({ providerId, amount, at, what, of: about }) => ({
          providerId,
          amount,
          at,
          what,
          of: about,
        })),
        available: held.amount,
        unsettled: 0n,
      } satisfies ProviderStatement
    },
  }
}

function fail(row: Row, name: string): never {
  throw new Error(`Stripe lists ${String(row.id ?? 'a row')} without a readable ${name}`)
}
function dateIn(row: Row, ...names: string[]): Date {
  const at = new Date(names.map((name) => textOf(row[name])).find((text) => text !== null) ?? '')
  return Number.isNaN(at.getTime()) ? fail(row, names.join(' or ')) : at
}
const dollarsIn = (row: Row, amount: unknown): bigint => {
  const said = asObject(amount)
  return (said?.currency === 'usd' ? wholeOf(said.value) : null) ?? fail(row, 'amount in dollars')
}

/** A payment debits the account when created; a failed or returned one credits all back. */
function payoutOf(row: Row): Movement {
  const state = states[String(row.status)] ?? fail(row, 'status')
  const amount = dollarsIn(row, row.amount)
  const debited = dollarsIn(row, asObject(row.from)?.debited)
  const gone = state === 'open' || state === 'done'
  const changed = asObject(row.status_transitions) ?? {}
  const at = ['returned_at', 'failed_at', 'canceled_at', 'posted_at'].find(
    (name) => textOf(changed[name]) !== null,
  )
  return {
    kind: 'payout',
    state,
    amount,
    fee: gone ? debited - amount : 0n,
    providerId: textOf(row.id) ?? fail(row, 'id'),
    reference: textOf(asObject(row.metadata)?.bursar_id),
    effect: gone ? -debited : 0n,
    at: at === undefined ? dateIn(row, 'created') : dateIn(changed, at),
  }
}

/** An entry's change of the available balance. */
function changeIn(row: Row): {
  providerId: string
  amount: bigint
  what: string
  of: string | null
  at: Date
} {
  const details = asObject(row.transaction_details)
  const flow = asObject(details?.flow)
  return {
    providerId: textOf(row.id) ?? fail(row, 'id'),
    amount: dollarsIn(row, asObject(row.balance_impact)?.available),
    what: textOf(details?.category) ?? '',
    of: textOf(flow?.[String(flow?.type)]),
    at: dateIn(row, 'effective_at', 'created'),
  }
}
