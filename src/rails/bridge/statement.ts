/** Movements in the wallet at Bridge, from its transfers and its history. */
import { later } from '../../lib/clock.ts'
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { Movement, ProviderStatement, StatementRail } from '../ports/statement.ts'
import type { Account } from './account.ts'
import { listTransfers, type Transfer } from './transfers.ts'
import { isOwed, isTopUp, transferStates } from './unconfirmed.ts'
import { centsIn, dollarsIn, readWallet } from './wallet.ts'

const states = {
  open: 'open',
  stopped: 'open',
  done: 'done',
  back: 'returned',
  failed: 'ended',
} as const

const perPage = 100
const mostPages = 1_000

export function bridgeStatement(account: Account): StatementRail {
  return {
    // Bridge takes no payments from payers here.
    dispute: async () => null,
    payment: async () => null,
    async read(from, onRead = () => {}) {
      let rows = 0
      const onPage = (found: number): void => {
        rows += found
        onRead(rows)
      }
      const all = await listTransfers(account, from, 'sweep', onPage)
      if (all === null) throw new Error('Bridge did not list all transfers')
      const ours = all.filter((one) => asObject(one.source)?.bridge_wallet_id === account.wallet)
      const topUps = await readTopUps(account, from, onPage)
      const held = await readWallet(account)
      if (!('amount' in held))
        throw new Error(`Bridge could not be asked for the wallet (${held.is})`)
      return {
        currency: 'usd',
        movements: ours.map(payoutOf),
        settlements: [],
        topUps,
        others: [],
        available: held.amount,
        unsettled: ours
          .filter(({ state }) => isOwed(state))
          .reduce((sum, one) => sum + amountIn(one), 0n),
      } satisfies ProviderStatement
    },
  }
}

function amountIn(row: Transfer): bigint {
  return dollarsIn(row.amount) ?? fail(row, 'amount')
}
function fail(row: Transfer, name: string): never {
  throw new Error(`Bridge lists ${String(row.id ?? 'a row')} without a readable ${name}`)
}
function dateIn(row: Transfer): Date {
  const at = new Date(textOf(row.updated_at) ?? textOf(row.created_at) ?? '')
  return Number.isNaN(at.getTime()) ? fail(row, 'time') : at
}

/** A transfer debits the wallet when created; a returned one is credited back or owed. */
function payoutOf(row: Transfer): Movement {
  const state = states[transferStates[String(row.state)] ?? fail(row, 'state')]
  const amount = amountIn(row)
  return {
    kind: 'payout',
    state,
    amount,
    fee: 0n,
    providerId: textOf(row.id) ?? fail(row, 'id'),
    reference: textOf(row.client_reference_id),
    effect: state === 'open' || state === 'done' ? -amount : 0n,
    at: dateIn(row),
  }
}

/**
 * Reads deposits to the wallet. Bridge gives them no ids, so each is identified by its time, its
 * content, and its position among equal ones.
 */
async function readTopUps(
  account: Account,
  from: Date,
  onPage: (rows: number) => void,
): Promise<ProviderStatement['topUps']> {
  const rows = (await readHistory(account, from, onPage)).filter(isTopUp)
  const seen = new Map<string, number>()
  return rows.map((row) => {
    const amount = centsIn(row.amount) ?? fail(row, 'amount')
    const said = JSON.stringify([row.created_at, row.amount, asObject(row.source)?.payment_rail])
    const place = (seen.get(said) ?? 0) + 1
    seen.set(said, place)
    return {
      providerId: `in-${sha256(`${said} ${place}`).toString('hex').slice(0, 40)}`,
      amount,
      at: createdIn(row),
    }
  })
}

function createdIn(row: Transfer): Date {
  const at = new Date(textOf(row.created_at) ?? '')
  return Number.isNaN(at.getTime()) ? fail(row, 'time') : at
}

/**
 * Reads a wallet's history, newest first. Pages have no cursors, so each starts at the time where
 * the last one ended.
 */
async function readHistory(
  { client, wallet }: Account,
  from: Date,
  onPage: (rows: number) => void,
) {
  const found: Transfer[] = []
  let before: Date | null = null
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({
      method: 'GET',
      path: '/wallets/{wallet}/history',
      params: { wallet },
      urgency: 'sweep',
      query: {
        limit: String(perPage),
        updated_after_ms: String(from.getTime()),
        ...(before === null ? {} : { updated_before_ms: String(before.getTime()) }),
      },
    })
    const said =
      answer.is === 'answered' && Array.isArray(answer.data.data)
        ? answer.data.data.map(asObject)
        : null
    if (said === null)
      throw new Error(`Bridge could not be asked for the wallet’s history (${answer.is})`)
    const rows = said.map((row) => row ?? {})
    onPage(rows.length)
    if (rows.length < perPage) return [...found, ...rows]
    // There may be more rows of the last millisecond: the next page reads all of it again.
    const last = dateIn(rows.at(-1) as Transfer)
    const whole = rows.filter((row) => dateIn(row).getTime() > last.getTime())
    if (whole.length === 0)
      throw new Error('Bridge lists more of one millisecond than a page holds')
    found.push(...whole)
    before = later(last, 1)
  }
  throw new Error('Bridge’s history of the wallet does not end')
}
