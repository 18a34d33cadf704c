/**
 * Money that a rail says has come. A notice is booked once, however often it is told: the notice, the ledger, the transaction,
 * what it pays for and the events are one commit. Money is never turned away: what is late, too little or too much is booked first.
 */

import type { Source, Transaction } from '../../books/transactions/transactions.ts'
import type { Ctx } from '../../core/context.ts'
import { gathered } from '../../db/batch.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { answerOf, type Outcome, refuse, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { emit } from '../../platform/events/events.ts'
import { findNetwork } from '../../rails/networks.ts'
import { findWallet } from '../crypto/crypto.ts'
import { lock, receive } from '../payments/payments.ts'
import { type AccountRow, findAccount } from '../virtual-accounts/virtual-accounts.ts'
import { bookMany, type NewDeposit, toldOf } from './booking.ts'
import { type Notice, noteReuse, once } from './notices.ts'
import type { SimulateDepositIn, SimulateTokensIn } from './schema.ts'
import { cryptoDeposit } from './tokens.ts'

export { chainDeposits, sweepable } from './chain.ts'
export { cryptoDeposit } from './tokens.ts'

const bookGathered = gathered((db, deposits: NewDeposit[]) => transaction(db, (tx) => bookMany(tx, deposits)), {
  groupOf: ({ scope }) => scope.businessId,
})

/**
 * Books money that came to a virtual account. On one that is no payment's, and without a transaction of the caller's, it shares
 * its commit with others that come at the same time.
 * @param account whose it is and its currency never change: only these are taken from here
 * @returns the transaction, the same one for the same notice
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry: the notice can be told again;
 *   `notice_reused` (409) when the notice was told before, of another amount or account; `overloaded` (429)
 */
export function bankDeposit(ctx: Ctx, account: Account, notice: Notice): Promise<Transaction> {
  return noteReuse(ctx, notice, () => book(ctx, account, notice))
}

type Account = Pick<AccountRow, 'id' | 'payment_id' | 'currency'>

async function book(ctx: Ctx, account: Account, notice: Notice): Promise<Transaction> {
  const { scope, tx } = ctx
  const { id, payment_id, currency } = account
  if (payment_id !== null) return paymentDeposit(ctx, id, payment_id, notice)
  const fee = ctx.pricing.incomingFee('deposit', 'bank_transfer', currency, notice.amount)
  const deposit: NewDeposit = { scope, account: id, currency, notice, fee }
  if (!tx) return bookGathered(ctx.db, deposit)
  const [outcome] = await bookMany(tx, [deposit])
  return answerOf(outcome as Outcome<Transaction>)
}

/** Books what came for a payment. */
function paymentDeposit(ctx: Ctx, account: Id, payment: Id, notice: Notice): Promise<Transaction> {
  const told = toldOf({ account, notice })
  return once(
    ctx,
    notice,
    async () => told,
    async (inside, id) => {
      const { rail, source } = notice
      const received = await receive(inside, await lock(inside, payment), { ...told, transaction: id, rail, source })
      await emit(inside.tx as Tx, inside, 'virtual_account.deposit', received)
      return received
    },
  )
}

/**
 * Has test money arrive on a virtual account, by the way that a bank's notice takes.
 * @throws {Refusal} `not_found`; `validation_failed` when a static account is not told how much; those of `bankDeposit`
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
  return bankDeposit(ctx, account, {
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
 * @throws {Refusal} `not_found`; `unsupported_chain`; those of `cryptoDeposit`
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
