/**
 * Money that a rail says has come. A notice is booked once, however often it is told: the notice, the ledger, the transaction,
 * what it pays for and the events are one commit. Money is never turned away: what is late, too little or too much is booked first.
 */
import { type Ctx, inTransaction } from '../context.ts'
import { sql, type Tx } from '../db/db.ts'
import { emit } from '../events/events.ts'
import { incoming } from '../ledger/crossing.ts'
import { post } from '../ledger/ledger.ts'
import { refuseInput } from '../lib/errors.ts'
import { type Id, newId } from '../lib/ids.ts'
import { assertCarryable, type CryptoCurrency, multiplyDown, parseDecimal } from '../lib/money.ts'
import type { Static } from '../lib/schema.ts'
import { type CryptoQuoteRow, cryptoQuotes, lock, receive } from '../payments/payments.ts'
import { getTransaction, recordTransaction, type Source, type Transaction } from '../transactions/transactions.ts'
import { type AccountRow, end, findAccount, lockVirtualAccount } from '../virtual-accounts/virtual-accounts.ts'
import type { SimulateDepositIn } from './schema.ts'

/** What a rail tells of money that came. `notice` is the rail's own id of it. */
export type Notice = { rail: string; notice: string; amount: bigint; source: Source | null }

const claimNotice = sql<{ transaction_id: Id }>(
  'deposits.claim_notice',
  `insert into deposit_notices (business_id, livemode, rail, notice, transaction_id, created_at)
   values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning transaction_id`,
)
const selectNotice = sql<{ transaction_id: Id }>(
  'deposits.select_notice',
  `select transaction_id from deposit_notices
    where business_id = $1 and livemode = $2 and rail = $3 and notice = $4`,
)

/** Books money that came to a virtual account. @returns the transaction, the same one for the same notice */
export function bankDeposit(ctx: Ctx, accountId: Id, notice: Notice): Promise<Transaction> {
  return once(ctx, notice, async (inside, id) => {
    // Which payment an account belongs to never changes; a payment is locked before its account.
    const { payment_id } = await findAccount(inside, accountId)
    const transaction =
      payment_id === null
        ? await bookDeposit(inside, id, await lockVirtualAccount(inside, accountId), notice)
        : await receive(inside, await lock(inside, payment_id), {
            transaction: id,
            method: 'bank_transfer',
            amount: notice.amount,
            rail: notice.rail,
            source: notice.source,
            related: { virtual_account: accountId },
          })
    await emit(inside.tx as Tx, inside, 'virtual_account.deposit', transaction)
    return transaction
  })
}

/**
 * Books tokens that came to a payment's address.
 * @param notice its amount in cents of the token
 */
export function cryptoDeposit(ctx: Ctx, paymentId: Id, currency: CryptoCurrency, notice: Notice): Promise<Transaction> {
  return once(ctx, notice, async (inside, id) => {
    const payment = await lock(inside, paymentId)
    const quote = (await cryptoQuotes(inside, paymentId)).find((row) => row.currency === currency)
    const transaction = await receive(inside, payment, {
      transaction: id,
      method: 'crypto',
      amount: worthOf(notice.amount, quote, ctx.pricing.rate(currency, payment.currency)),
      outside: { amount: notice.amount, currency },
      rail: notice.rail,
      source: notice.source,
      related: {},
    })
    await emit(inside.tx as Tx, inside, 'crypto.deposit', transaction)
    return transaction
  })
}

/** The quoted amount is worth what was due for it; any other its rate, rounded down, but at least a minor unit: all is booked. */
function worthOf(
  amount: bigint,
  quote: CryptoQuoteRow | undefined,
  rate: Parameters<typeof multiplyDown>[1] | null,
): bigint {
  if (quote && amount === quote.amount) return quote.due
  const held = quote ? parseDecimal(quote.rate) : rate
  if (!held) throw new Error('a token was taken that has no exchange rate')
  const worth = multiplyDown(amount, held)
  return worth > 0n ? worth : 1n
}

/** Claims the notice with the id its transaction will have; who told it first books it, and everyone gets the one transaction. */
function once(
  ctx: Ctx,
  { rail, notice }: Notice,
  book: (inside: Ctx, id: Id) => Promise<Transaction>,
): Promise<Transaction> {
  const { businessId, livemode, now } = ctx.scope
  const key = [businessId, livemode, rail, notice]
  return inTransaction(ctx, async (tx) => {
    const inside: Ctx = { ...ctx, tx }
    const id = newId(now)
    if (await tx.row(claimNotice, [...key, id, now])) return book(inside, id)
    const known = await tx.row(selectNotice, key)
    return getTransaction(inside, known?.transaction_id as Id)
  })
}

/** Credits the wallet with a deposit on an account that is no payment's. */
async function bookDeposit(
  ctx: Ctx,
  id: Id,
  account: AccountRow,
  { rail, amount, source }: Notice,
): Promise<Transaction> {
  const { scope, tx } = ctx
  const { currency } = account
  const fee = ctx.pricing.incomingFee('deposit', 'bank_transfer', currency, amount)
  const available = { purpose: 'wallet_available', currency } as const
  const money = { amount, currency }
  const postings = incoming({
    rail,
    outside: money,
    inside: money,
    account: available,
    fee,
    subject: account.id,
    transaction: id,
  })
  const balanceOf = await post(tx as Tx, scope, postings)
  const late = account.status !== 'active' || (account.expires_at !== null && account.expires_at <= scope.now)
  if (account.amount !== null && amount >= account.amount) await end(ctx, account.id, 'closed')
  return recordTransaction(ctx, {
    id,
    type: 'deposit',
    method: 'bank_transfer',
    direction: 'credit',
    status: 'completed',
    currency,
    amount,
    fee,
    balanceAfter: assertCarryable(balanceOf(available)),
    reference: account.reference,
    source,
    customer: account.customer_id,
    late,
    related: { virtual_account: account.id },
    metadata: account.metadata,
  })
}

/**
 * Has test money arrive on a virtual account, by the way that a bank's notice takes.
 * @throws {Refusal} `not_found`; `validation_failed` when a static account is not told how much; `amount_too_large`
 */
export async function simulateDeposit(
  ctx: Ctx,
  id: string,
  { amount, sender, notice }: Static<typeof SimulateDepositIn>,
): Promise<Transaction> {
  const account = await findAccount(ctx, id)
  const cents = amount === undefined ? account.amount : BigInt(amount)
  if (cents === null)
    return refuseInput([{ path: 'amount', message: 'amount is required for a static account', location: 'body' }])
  return bankDeposit(ctx, account.id, {
    rail: account.rail,
    notice: notice ?? newId(ctx.scope.now),
    amount: cents,
    source: sender && Object.keys(sender).length > 0 ? (sender as Source) : null,
  })
}
