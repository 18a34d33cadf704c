/**
 * The double's own books: what Paystack keeps of one integration in one mode. Amounts are kobo,
 * whole numbers, as on Paystack's wire.
 *
 * Two pots: `pending` is what payers paid and Paystack has not settled, `balance` is what transfers
 * are paid from. Whether Paystack's own ledger keeps them so is unconfirmed [U]; what it owes the
 * operator is both together.
 */
export type Mode = 'test' | 'live'
export type Pot = 'pending' | 'balance'

/** One change of a pot. `balance` is what the pot holds after it. */
export type Movement = {
  id: number
  pot: Pot
  difference: number
  balance: number
  reason: string
  model: 'Transaction' | 'Transfer' | 'Refund' | 'Settlement' | 'TopUp' | 'Dispute'
  row: number
  at: Date
}

export type Customer = {
  id: number
  code: string
  email: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  metadata: unknown
  identified: boolean
  identifications: { country: string; type: string; value: string }[]
  /** What was asked last and has not been answered. */
  asked: Record<string, string> | null
  at: Date
}

export type Channel = 'card' | 'bank_transfer' | 'dedicated_nuban'

export type Sender = { name: string; bank: string; account: string; narration: string }

export type Transaction = {
  id: number
  reference: string
  accessCode: string
  status: 'abandoned' | 'ongoing' | 'pending' | 'success' | 'failed' | 'reversed'
  /** What the payer pays, with the fee where the payer bears it; and what was asked for. */
  amount: number
  requested: number
  fees: number | null
  channel: Channel
  channels: string[]
  customer: Customer
  callbackUrl: string | null
  metadata: unknown
  response: string
  card: { brand: string; last4: string; bin: string } | null
  sender: Sender | null
  /** The account that the money came to, where the answer names it. */
  receiver: { account: string; bank: string } | null
  /** A one-time account that waits for exactly this amount. */
  account: { number: string; name: string; bank: Bank; expiresAt: Date } | null
  paidAt: Date | null
  at: Date
  settlement: number | null
}

export type Recipient = {
  id: number
  code: string
  name: string
  account: string
  bank: Bank
  deleted: boolean
  at: Date
}

export type TransferStatus =
  | 'pending'
  | 'received'
  | 'success'
  | 'failed'
  | 'otp'
  | 'abandoned'
  | 'reversed'
  | 'blocked'
  | 'rejected'

export type Transfer = {
  id: number
  code: string
  reference: string
  amount: number
  fee: number
  reason: string
  recipient: Recipient
  status: TransferStatus
  response: string | null
  failures: unknown
  session: string | null
  /** What of the balance is gone for it: amount and fee, nothing, or the fee alone. */
  taken: number
  /** Every status it has had, in order. */
  history: TransferStatus[]
  at: Date
  updatedAt: Date
}

export type Refund = {
  id: number
  transaction: Transaction
  amount: number
  status: 'pending' | 'processing' | 'processed' | 'failed' | 'needs-attention' | 'reversed'
  customerNote: string
  merchantNote: string
  reference: string | null
  /** What was taken from each pot, to be put back if it fails. */
  taken: Record<Pot, number>
  at: Date
}

export type Account = {
  id: number
  customer: Customer
  bank: Bank
  number: string | null
  name: string
  active: boolean
  assigned: boolean
  at: Date
}

export type Settlement = {
  id: number
  total: number
  fees: number
  deductions: number
  effective: number
  to: 'bank' | 'balance'
  at: Date
}

export type Dispute = {
  id: number
  transaction: Transaction
  amount: number
  taken: Record<Pot, number>
  outcome: 'won' | 'lost' | null
  archived: boolean
  at: Date
  /** What the merchant said last of the customer and the service. */
  evidence: Record<string, unknown> | null
  /** The merchant's resolution, which Paystack takes once. */
  answer: Record<string, unknown> | null
}

export type Bank = {
  id: number
  name: string
  slug: string
  code: string
  longcode: string
  nip_sort_code: string
  active: boolean
  supports_transfer: boolean
}

export type Books = ReturnType<typeof openBooks>

/** Books of one mode, empty. */
export function openBooks(mode: Mode, now: () => Date) {
  let last = mode === 'live' ? 3_104_021_000 : 1_004_021_000
  const books = {
    mode,
    integration: mode === 'live' ? 412_829 : 165_949,
    now,
    pots: { pending: 0, balance: 0 } as Record<Pot, number>,
    movements: [] as Movement[],
    customers: [] as Customer[],
    transactions: [] as Transaction[],
    recipients: [] as Recipient[],
    transfers: [] as Transfer[],
    refunds: [] as Refund[],
    accounts: [] as Account[],
    settlements: [] as Settlement[],
    disputes: [] as Dispute[],

    /** The next number of anything. */
    id: (): number => ++last,
    /** A code as Paystack writes them: a prefix and 15 letters and digits. */
    code: (prefix: string): string =>
      `${prefix}_${(++last * 7_919).toString(36).padStart(15, 'x')}`,

    move(
      pot: Pot,
      difference: number,
      model: Movement['model'],
      row: number,
      reason: string,
    ): void {
      if (difference === 0) return
      books.pots[pot] += difference
      books.movements.push({
        id: books.id(),
        pot,
        difference,
        balance: books.pots[pot],
        reason,
        model,
        row,
        at: now(),
      })
    },
    /**
     * Takes from what is pending first, then from the balance; null where both together have too
     * little.
     */
    takeFromBoth(
      amount: number,
      model: Movement['model'],
      row: number,
      reason: string,
    ): Record<Pot, number> | null {
      if (amount > books.owed()) return null
      const pending = Math.min(amount, Math.max(0, books.pots.pending))
      const taken = { pending, balance: amount - pending }
      for (const pot of ['pending', 'balance'] as const)
        books.move(pot, -taken[pot], model, row, reason)
      return taken
    },
    putBack(
      taken: Record<Pot, number>,
      model: Movement['model'],
      row: number,
      reason: string,
    ): void {
      for (const pot of ['pending', 'balance'] as const)
        books.move(pot, taken[pot], model, row, reason)
    },
    /** What Paystack owes the operator, kobo. */
    owed: (): number => books.pots.pending + books.pots.balance,
    audit: (): string[] => audit(books),

    transaction: (reference: string): Transaction =>
      found(books.transactions, (one) => one.reference === reference, `transaction ${reference}`),
    transfer: (reference: string): Transfer =>
      found(books.transfers, (one) => one.reference === reference, `transfer ${reference}`),
    refund: (id: number): Refund => found(books.refunds, (one) => one.id === id, `refund ${id}`),
    customer: (key: string | number): Customer | undefined =>
      books.customers.find(
        (one) => one.code === key || one.email === key || String(one.id) === String(key),
      ),
  }
  return books
}

/** The one of a list that fits. Throws where a test names what is not there. */
export function found<T>(list: T[], fits: (one: T) => boolean, name: string): T {
  const one = list.find(fits)
  if (one === undefined) throw new Error(`The double has no ${name}.`)
  return one
}

const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0)

/**
 * What is wrong with the books, a sentence each. What is owed is worked out a second time from the
 * objects alone, without looking at the movements; and each pot from its movements.
 */
function audit(books: Books): string[] {
  const problems: string[] = []
  for (const pot of ['pending', 'balance'] as const) {
    let running = 0
    for (const movement of books.movements.filter((one) => one.pot === pot)) {
      running += movement.difference
      if (running !== movement.balance)
        problems.push(
          `${pot}: movement ${movement.id} says ${movement.balance}, the sum is ${running}`,
        )
    }
    if (running !== books.pots[pot])
      problems.push(`${pot} holds ${books.pots[pot]}, its movements make ${running}`)
    if (books.pots[pot] < 0) problems.push(`${pot} is below zero: ${books.pots[pot]}`)
  }
  const paid = books.transactions.filter((one) => one.paidAt !== null)
  const explained =
    sum(paid.map((one) => one.amount - (one.fees ?? 0))) -
    sum(books.refunds.filter((one) => one.status !== 'failed').map((one) => one.amount)) -
    sum(books.transfers.map((one) => one.taken)) -
    sum(books.disputes.filter((one) => one.outcome !== 'won').map((one) => one.amount)) -
    sum(books.settlements.filter((one) => one.to === 'bank').map((one) => one.effective)) +
    sum(books.movements.filter((one) => one.model === 'TopUp').map((one) => one.difference))
  if (explained !== books.owed())
    problems.push(`owes ${books.owed()}, its records explain ${explained}`)
  return problems
}
