/**
 * What the double of Bridge knows: a customer with a wallet, its external accounts, and its
 * transfers. Amounts are in millionths of the wallet's token.
 */

export const micro = 1_000_000n
const perCent = 10_000n

export type TransferState =
  | 'pending'
  | ('awaiting_funds' | 'in_review' | 'funds_received' | 'payment_submitted' | 'payment_processed')
  | (
      | 'returned'
      | 'refund_in_flight'
      | 'refund_failed'
      | 'refunded'
      | 'undeliverable'
      | 'canceled'
      | 'error'
    )

export type ExternalAccount = {
  id: string
  owner: string
  number: string
  routing: string
  kind: string
  active: boolean
  at: Date
  addressValid: boolean
}

export type Transfer = {
  id: string
  reference: string
  amount: bigint
  account: ExternalAccount
  rail: string
  state: TransferState
  /** What of the amount Bridge kept: nothing, unless a test says so. */
  kept: bigint
  /** Every state it has had, in order. */
  history: TransferState[]
  at: Date
  updatedAt: Date
}

export type Incoming = { amount: bigint; rail: string; at: Date }

/** States in which the wallet has paid, and in which Bridge owes it what it paid. */
const gone: readonly TransferState[] = [
  'pending',
  'awaiting_funds',
  'in_review',
  'funds_received',
  'payment_submitted',
  'payment_processed',
  'returned',
  'refund_in_flight',
  'refund_failed',
  'undeliverable',
  'error',
]

/** An amount as Bridge writes it. */
export function written(amount: bigint): string {
  const fraction = (amount % micro).toString().padStart(6, '0').replace(/0+$/, '')
  return `${amount / micro}.${fraction === '' ? '0' : fraction}`
}

export function openBooks(now: () => Date) {
  let last = 0
  const books = {
    now,
    customer: { id: 'cust_operator', status: 'active' },
    wallet: { id: 'bw_treasury', token: 'usdc', balance: 0n },
    accounts: [] as ExternalAccount[],
    transfers: [] as Transfer[],
    incoming: [] as Incoming[],
    /** Whether Bridge takes the address of an external account that is made now. */
    addressValid: true,
    /** Which account Bridge names as the duplicate of another, where a test says so. */
    namesInstead: null as string | null,
    /** How Bridge says that it knows no such transfer: both are documented. */
    unknownStatus: 404,
    id: (prefix: string): string => `${prefix}_${String(++last).padStart(8, '0')}`,
    transfer(reference: string): Transfer {
      const found = books.transfers.find((one) => one.reference === reference)
      if (found === undefined) throw new Error(`The double has no transfer ${reference}.`)
      return found
    },
    /** Moves a transfer on; what is given back is in the wallet again. */
    become(transfer: Transfer, state: TransferState): void {
      const [before, after] = [gone.includes(transfer.state), gone.includes(state)]
      if (before && !after) books.wallet.balance += transfer.amount
      transfer.state = state
      transfer.history.push(state)
      transfer.updatedAt = now()
    },
    topUp(cents: number | bigint, rail = 'base'): void {
      const amount = BigInt(cents) * perCent
      books.wallet.balance += amount
      books.incoming.push({ amount, rail, at: now() })
    },
    /** What cannot be so, as sentences. */
    audit(): string[] {
      const came = books.incoming.reduce((sum, { amount }) => sum + amount, 0n)
      const paid = books.transfers
        .filter(({ state }) => gone.includes(state))
        .reduce((sum, one) => sum + one.amount, 0n)
      const references = new Set(books.transfers.map(({ reference }) => reference))
      return [
        ...(came - paid === books.wallet.balance
          ? []
          : [`the wallet has ${books.wallet.balance}, not ${came - paid}`]),
        ...(books.wallet.balance < 0n ? ['the wallet is below zero'] : []),
        ...(references.size === books.transfers.length ? [] : ['a reference has two transfers']),
      ]
    },
  }
  return books
}
export type Books = ReturnType<typeof openBooks>
