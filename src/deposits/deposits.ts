/**
 * Money that a rail says has come. A notice is booked once, however often it is told: the notice, the ledger, the transaction,
 * what it pays for and the events are one commit. Money is never turned away: what is late, too little or too much is booked first.
 */
import type { Ctx } from '../context.ts'
import { findWallet } from '../crypto/crypto.ts'
import type { Tx } from '../db/db.ts'
import { emit } from '../events/events.ts'
import { incoming } from '../ledger/crossing.ts'
import { post } from '../ledger/ledger.ts'
import { refuse, refuseInput } from '../lib/errors.ts'
import { type Id, newId } from '../lib/ids.ts'
import { assertCarryable } from '../lib/money.ts'
import { findNetwork } from '../lib/networks.ts'
import type { Static } from '../lib/schema.ts'
import { lock, receive } from '../payments/payments.ts'
import { recordTransaction, type Source, type Transaction } from '../transactions/transactions.ts'
import { type AccountRow, end, findAccount, lockVirtualAccount } from '../virtual-accounts/virtual-accounts.ts'
import { type Notice, once } from './notices.ts'
import type { SimulateDepositIn, SimulateTokensIn } from './schema.ts'
import { cryptoDeposit } from './tokens.ts'

export { chainDeposits, sweepable } from './chain.ts'
export { cryptoDeposit } from './tokens.ts'

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

/** Where simulated tokens come from, unless the request says. */
const anybody = '0x000000000000000000000000000000000000dEaD'

/**
 * Has test tokens arrive at a crypto wallet, confirmed already, without any node.
 * @throws {Refusal} `not_found`; `unsupported_chain`; `amount_too_large`
 */
export async function simulateTokens(
  ctx: Ctx,
  id: string,
  { amount, currency, chain, sender, notice }: Static<typeof SimulateTokensIn>,
): Promise<Transaction> {
  const wallet = await findWallet(ctx, id)
  const network = chain ?? 'base'
  if (!findNetwork(ctx.networks, currency, network, false))
    refuse('unsupported_chain', `${currency} is not taken on '${network}'. GET /crypto/tokens lists its networks.`)
  return cryptoDeposit(
    ctx,
    { kind: 'wallet', subject: wallet.id },
    {
      rail: 'sandbox',
      notice: notice ?? newId(ctx.scope.now),
      currency,
      amount: BigInt(amount),
      source: { currency, chain: network, address: sender ?? anybody },
      seen: null,
    },
  )
}
