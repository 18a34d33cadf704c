/** What moved in the wallet at Monnify, by its transfers and its statement. */
import { later } from '../../lib/clock.ts'
import type { Movement, ProviderStatement, StatementRail } from '../statement.ts'
import { asObject, textOf } from '../values.ts'
import type { Account } from './account.ts'
import { isOfTransfer, isTopUp, timeIn, transferStates } from './unconfirmed.ts'
import { nairaIn, readWallet } from './wallet.ts'

type Row = Record<string, unknown>

const perPage = 100
const mostPages = 1_000
/** How long a transfer may change after it was made: it is listed by when that was. */
const transferMs = 45 * 86_400_000

const states = { open: 'open', code: 'open', done: 'done', back: 'returned', failed: 'ended' } as const

export function monnifyStatement(account: Account): StatementRail {
  return {
    // Monnify takes nothing from payers here.
    dispute: async () => null,
    payment: async () => null,
    async read(from, onRead = () => {}) {
      let rows = 0
      const list = async (path: `/${string}`, since: Date, query: Record<string, string>): Promise<Row[]> => {
        const until = String(account.clock.now().getTime() + 60_000)
        const range = { startDate: String(since.getTime()), endDate: until }
        const found = await readList(account, path, { ...query, ...range })
        rows += found.length
        onRead(rows)
        return found
      }
      const transfers = await list('/api/v2/disbursements/search-transactions', later(from, -transferMs), {
        sourceAccountNumber: account.wallet,
      })
      const statement = await list(`/api/v1/disbursements/wallet/${account.wallet}/statement`, from, {
        enableTimeFilter: 'true',
      })
      const held = await readWallet(account)
      if (!('amount' in held)) throw new Error(`Monnify could not be asked for the wallet (${held.is})`)
      const others = statement.filter((row) => !isOfTransfer(row))
      return {
        currency: 'ngn',
        movements: transfers.map(payoutOf),
        settlements: [],
        topUps: others.filter(isTopUp).map(changeIn),
        others: others
          .filter((row) => !isTopUp(row))
          .map((row) => ({ ...changeIn(row), what: textOf(row.narration) ?? '', of: null })),
        available: held.amount,
        unsettled: 0n,
      } satisfies ProviderStatement
    },
  }
}

/** Every row of a list. @throws {Error} a sentence, when a page did not come */
async function readList({ client }: Account, path: `/${string}`, query: Record<string, string>): Promise<Row[]> {
  const found: Row[] = []
  for (let page = 0; page < mostPages; page++) {
    const answer = await client.ask({
      ...({ method: 'GET', path, urgency: 'sweep' } as const),
      query: { ...query, pageNo: String(page), pageSize: String(perPage) },
    })
    const content = answer.is === 'answered' && Array.isArray(answer.data.content) ? answer.data.content : null
    if (content === null) throw new Error(`Monnify did not list all of ${path} (${answer.is})`)
    found.push(...content.map((row) => asObject(row) ?? {}))
    if (content.length < perPage) return found
  }
  throw new Error(`Monnify’s list ${path} does not end`)
}

function fail(row: Row, name: string): never {
  throw new Error(`Monnify lists ${String(row.reference ?? 'a row')} without a readable ${name}`)
}
const amountIn = (row: Row, name: string): bigint => nairaIn(row[name]) ?? fail(row, name)
const dateIn = (row: Row, ...names: string[]): Date =>
  names.map((name) => timeIn(row[name])).find((time) => time !== null) ?? fail(row, names.join(' or '))

/** The wallet pays the amount and the fee when the transfer is taken; of one that failed or came back it has both again. */
function payoutOf(row: Row): Movement {
  const state = states[transferStates[String(row.status)] ?? fail(row, 'status')]
  const amount = amountIn(row, 'amount')
  const charged = nairaIn(row.totalFee ?? row.fee ?? 0) ?? fail(row, 'fee')
  // One that waits for a code has taken nothing yet.
  const gone = state === 'done' || (state === 'open' && transferStates[String(row.status)] !== 'code')
  return {
    ...{ kind: 'payout', state, amount, fee: gone ? charged : 0n },
    providerId: textOf(row.transactionReference) ?? textOf(row.reference) ?? fail(row, 'reference'),
    reference: textOf(row.reference),
    ...{ effect: gone ? -(amount + charged) : 0n, at: dateIn(row, 'completedOn', 'dateCreated', 'createdOn') },
  }
}

/** What came into the wallet, or left it by no transfer. */
function changeIn(row: Row): { providerId: string; amount: bigint; at: Date } {
  const amount = amountIn(row, 'amount')
  return {
    providerId: textOf(row.walletTransactionReference) ?? fail(row, 'walletTransactionReference'),
    ...{ amount: row.transactionType === 'CREDIT' ? amount : -amount, at: dateIn(row, 'transactionDate') },
  }
}
