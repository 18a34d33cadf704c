/**
 * Money that a rail says has come. A notice is booked once, however often it is told: the notice, the ledger, the transaction,
 * what it pays for and the events are one commit. Money is never turned away: what is late, too little or too much is booked first.
 */

import type { Source, Transaction } from '../../books/transactions/transactions.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { gathered } from '../../db/batch.ts'
import { transaction } from '../../db/db.ts'
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

/** Whose the money is and its currency, which never change: only these are taken from an account that was read before. */
type Account = Pick<AccountRow, 'id' | 'payment_id' | 'currency'>

/**
 * Books money that came to a virtual account. On one that is no payment's it shares its commit with others that come at the same time.
 * @returns the transaction, the same one for the same notice
 * @throws {Refusal} those of `depositIn`; `overloaded` (429)
 */
export function bankDeposit(ctx: Ctx, account: Account, notice: Notice): Promise<Transaction> {
  if (account.payment_id !== null) return ctx.write((work) => depositIn(work, account, notice))
  return noteReuse(ctx, notice, () => bookGathered(ctx.db, depositOf(ctx, account, notice)))
}

/**
 * Books money that came to a virtual account.
 * @returns the transaction, the same one for the same notice
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry: the notice can be told again;
 *   `notice_reused` (409) when the notice was told before, of another amount or account
 */
export function depositIn(work: Work, account: Account, notice: Notice): Promise<Transaction> {
  return noteReuse(work, notice, async () => {
    if (account.payment_id !== null) return paymentDeposit(work, account.id, account.payment_id, notice)
    const [outcome] = await bookMany(work.tx, [depositOf(work, account, notice)])
    return answerOf(outcome as Outcome<Transaction>)
  })
}

function depositOf({ scope, pricing }: View, { id, currency }: Account, notice: Notice): NewDeposit {
  const fee = pricing.incomingFee('deposit', 'bank_transfer', currency, notice.amount)
  return { scope, account: id, currency, notice, fee }
}

/** Books what came for a payment. */
function paymentDeposit(work: Work, account: Id, payment: Id, notice: Notice): Promise<Transaction> {
  const told = toldOf({ account, notice })
  return once(
    work,
    notice,
    async () => told,
    async (id) => {
      const { rail, source } = notice
      const received = await receive(work, await lock(work, payment), { ...told, transaction: id, rail, source })
      await emit(work, 'virtual_account.deposit', received)
      return received
    },
  )
}

/**
 * Reads the request that test money arrive on a virtual account; `depositIn` books it, as it does what a bank tells.
 * @throws {Refusal} `not_found`; `validation_failed` when a static account is not told how much
 */
export async function prepareDeposit(
  ctx: Ctx,
  id: string,
  { amount, sender, notice }: Static<typeof SimulateDepositIn>,
): Promise<{ account: AccountRow; notice: Notice }> {
  const account = await findAccount(ctx, id)
  const cents = amount === undefined ? account.amount : BigInt(amount)
  if (cents === null)
    return refuseInput([{ path: 'amount', message: 'amount is required for a static account', location: 'body' }])
  return {
    account,
    notice: {
      rail: account.rail,
      notice: notice ?? newId(ctx.scope.now),
      amount: cents,
      source: sender && Object.keys(sender).length > 0 ? (sender as Source) : null,
    },
  }
}

/** Where simulated tokens come from, unless the request says. */
const anybody = '0x000000000000000000000000000000000000dEaD'

/**
 * Has test tokens arrive at a crypto wallet, confirmed already, without any node.
 * @throws {Refusal} `not_found`; `unsupported_chain`; those of `cryptoDeposit`
 */
export async function simulateTokens(
  work: Work,
  id: string,
  { amount, currency, chain, sender, notice }: Static<typeof SimulateTokensIn>,
): Promise<Transaction> {
  const wallet = await findWallet(work, id)
  const network = chain ?? 'base'
  if (!findNetwork(work.networks, currency, network, false))
    refuse('unsupported_chain', `${currency} is not taken on '${network}'. GET /crypto/tokens lists its networks.`)
  return cryptoDeposit(
    work,
    { kind: 'wallet', subject: wallet.id },
    {
      rail: 'sandbox',
      notice: notice ?? newId(work.scope.now),
      currency,
      amount: BigInt(amount),
      source: { currency, chain: network, address: sender ?? anybody },
      seen: null,
    },
  )
}
