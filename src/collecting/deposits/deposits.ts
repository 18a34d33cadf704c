/**
 * Money that a rail says has come. Booking an inbound notification is idempotent: the notification,
 * the ledger, the transaction, what it pays for and the events are one commit. Money is never
 * turned away: what is late, too little or too much is booked first.
 */

import { requireReceipt } from '../../books/receipts/receipts.ts'
import type { Source, Transaction } from '../../books/transactions/transactions.ts'
import type { View, Work } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { holdTestData } from '../../core/test-data.ts'
import { gathered } from '../../db/batch.ts'
import { transaction } from '../../db/db.ts'
import { answerOf, type Outcome, refuseInput } from '../../lib/errors.ts'
import { type Id, newId } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { emit } from '../../platform/events/events.ts'
import type { Held } from '../../platform/screening/screening.ts'
import { findNetwork } from '../../rails/reference/networks.ts'
import { findCryptoWallet } from '../crypto/crypto.ts'
import * as payments from '../payments/payments.ts'
import { type AccountRow, findAccount } from '../virtual-accounts/virtual-accounts.ts'
import { bookMany, expectedOf, type NewDeposit, receiptOf } from './booking.ts'
import { depositEvents } from './events.ts'
import { holdBankDeposit, holdTokens, screenSender } from './holding.ts'
import { bookOnce, type DepositNotification, isTold } from './notifications.ts'
import { refuse } from './refusals.ts'
import type { SimulateDepositIn, SimulateTokensIn } from './schema.ts'
import { countSent, isLimited } from './tiers.ts'
import { cryptoDeposit, type TokenNotification, walletCurrency, worthOf } from './tokens.ts'

export { assignDeposit } from './assigning.ts'
export { chainDeposits, sweepable } from './chain.ts'
export { depositRefusals } from './refusals.ts'
export { forgetOldCustomerDays } from './tiers.ts'
export { cryptoDeposit } from './tokens.ts'

const bookGathered = gathered(
  (db, deposits: NewDeposit[]) =>
    transaction(db, (tx) => {
      holdTestData(
        tx,
        deposits.map(({ scope }) => scope),
      )
      return bookMany(tx, deposits)
    }),
  { groupOf: ({ scope }) => scope.businessId },
)

/**
 * Whose the money is and its currency, which never change: only these are taken from an account
 * that was read before.
 */
type Account = Pick<AccountRow, 'id' | 'payment_id' | 'currency' | 'customer_id'>

/**
 * Books money that came to a virtual account. On one that is no payment's it shares its commit with
 * others that come at the same time.
 * @returns the transaction, the same one for the same notification
 * @throws {Refusal} those of `depositIn`; `overloaded` (429)
 */
export async function bankDeposit(
  ctx: Ctx,
  account: Account,
  notification: DepositNotification,
): Promise<Transaction> {
  const seen = await lookAt(ctx, account, notification)
  if (seen.held || seen.limited)
    return ctx.write((work) => bookLooked(work, account, notification, seen))
  if (account.payment_id !== null)
    return ctx.write((work) => depositIn(work, account, notification))
  return bookGathered(ctx.db, depositOf(ctx, account, notification))
}

/**
 * What is known of a deposit before it is booked. `held`: screening holds it; `limited`: what its
 * customer sends is counted.
 */
export type Looked = { held: Held | null; limited: boolean }

type Looking = {
  ctx: Ctx
  account: Parameters<typeof lookAtOne>[1]
  notification: Pick<DepositNotification, 'source'>
}

/** Those that come together are looked at together, and go on in their order. */
const lookGathered = gathered((_db, all: Looking[]) =>
  Promise.all(
    all.map(({ ctx, account, notification }) =>
      lookAtOne(ctx, account, notification).then(
        (answer): Outcome<Looked> => ({ answer }),
        (refusal: Error) => ({ refusal }),
      ),
    ),
  ),
)

/**
 * Asks who sent it, and whether it counts. Outside of any transaction. @throws {Error} when a list
 * gives no answer
 */
export const lookAt = (
  ctx: Ctx,
  account: Looking['account'],
  notification: Looking['notification'],
): Promise<Looked> => lookGathered(ctx.db, { ctx, account, notification })

async function lookAtOne(
  ctx: Ctx,
  { customer_id, currency }: Pick<Account, 'customer_id' | 'currency'>,
  { source }: Pick<DepositNotification, 'source'>,
): Promise<Looked> {
  const [held, limited] = await Promise.all([
    screenSender(ctx, source),
    isLimited(ctx, customer_id, currency),
  ])
  return { held, limited }
}

/**
 * Books money that came to a virtual account, or holds it for a person.
 * @throws {Refusal} those of `depositIn`
 */
export async function bookLooked(
  work: Work,
  account: Account,
  notification: DepositNotification,
  { held, limited }: Looked,
): Promise<Transaction> {
  const { customer_id: customer, currency } = account
  const sent = {
    customer,
    currency,
    amount: notification.amount,
    isTold: () => isTold(work, notification),
  }
  const above = limited ? await countSent(work, sent) : null
  const why = held ?? above
  return why
    ? holdBankDeposit(work, account, notification, why)
    : depositIn(work, account, notification)
}

/**
 * Books money that came to a virtual account.
 * @returns the transaction, the same one for the same notification
 * @throws {Refusal} `amount_too_large` when the wallet would hold more than the API can carry: the
 * rail can repeat the
 *   notification; `notice_reused` (409) when it was booked before, of another amount or account
 */
export async function depositIn(
  work: Work,
  account: Account,
  notification: DepositNotification,
): Promise<Transaction> {
  if (account.payment_id !== null)
    return paymentDeposit(work, account.id, account.payment_id, notification)
  const [outcome] = await bookMany(work.tx, [depositOf(work, account, notification)])
  return answerOf(outcome as Outcome<Transaction>)
}

function depositOf(
  { scope, pricing, log, secrets }: View,
  { id, currency }: Account,
  notification: DepositNotification,
): NewDeposit {
  const fee = pricing.incomingFee('deposit', 'bank_transfer', currency, notification.amount)
  return { scope, account: id, currency, notification, fee, log, secrets }
}

/** Books what came for a payment. */
function paymentDeposit(
  work: Work,
  account: Id,
  payment: Id,
  notification: DepositNotification,
): Promise<Transaction> {
  const expected = expectedOf({ account, notification })
  return bookOnce(
    work,
    notification,
    async () => expected,
    async (id) => {
      const { rail, source } = notification
      const locked = await (notification.receipt ? payments.lockToReceive : payments.lock)(
        work,
        payment,
      )
      const of = { scope: work.scope, subject: payment, transaction: id, currency: locked.currency }
      const receipt = receiptOf(notification, of)
      if (receipt) await requireReceipt(work, receipt)
      const received = await payments.receive(work, locked, {
        ...expected,
        transaction: id,
        rail,
        source,
      })
      await emit(work, depositEvents, 'virtual_account.deposit', received)
      return received
    },
  )
}

/**
 * Money that came to a virtual account; with a deposit of its own where the account is no
 * payment's.
 */
export type ReadDeposit = {
  account: Account
  notification: DepositNotification
  deposit: NewDeposit
  seen: Looked
}

/**
 * Reads the request that test money arrive on a virtual account; it is booked as what a bank
 * notifies of.
 * @throws {Refusal} `not_found`; `deposit_not_simulated`; `validation_failed` when a static account
 * is given no amount
 */
export async function prepareDeposit(
  ctx: Ctx,
  id: string,
  { amount, sender, notice }: Static<typeof SimulateDepositIn>,
): Promise<ReadDeposit> {
  const account = await findAccount(ctx, id)
  if (account.rail !== ctx.rails.test.sandbox.name)
    refuse(
      'deposit_not_simulated',
      `The account is at '${account.rail}': have money sent to it there, in its test mode.`,
    )
  const cents = amount === undefined ? account.amount : BigInt(amount)
  if (cents === null)
    return refuseInput([
      { path: 'amount', message: 'amount is required for a static account', location: 'body' },
    ])
  const notification = {
    rail: account.rail,
    notice: notice ?? newId(ctx.scope.now),
    amount: cents,
    source: sender && Object.keys(sender).length > 0 ? (sender as Source) : null,
  }
  const seen = await lookAt(ctx, account, notification)
  return { account, notification, seen, deposit: depositOf(ctx, account, notification) }
}

/** Where simulated tokens come from, unless the request says. */
const anybody = '0x000000000000000000000000000000000000dEaD'

/** Asks the lists about who sends test tokens. */
export const screenTokens = (
  ctx: Ctx,
  { sender }: Static<typeof SimulateTokensIn>,
): Promise<Held | null> => screenSender(ctx, sender === undefined ? null : { address: sender })

/**
 * Has test tokens arrive at a crypto wallet, confirmed already, without any node.
 * @throws {Refusal} `not_found`; `unsupported_chain`; those of `cryptoDeposit`
 */
export async function simulateTokens(
  work: Work,
  id: string,
  { amount, currency, chain, sender, notice }: Static<typeof SimulateTokensIn>,
  held: Held | null,
): Promise<Transaction> {
  const wallet = await findCryptoWallet(work, id)
  const network = chain ?? 'base'
  if (!findNetwork(work.networks, currency, network, false))
    refuse(
      'unsupported_chain',
      `${currency} is not accepted on '${network}'. GET /crypto/tokens lists its networks.`,
    )
  const notification: TokenNotification = {
    rail: 'sandbox',
    notice: notice ?? newId(work.scope.now),
    currency,
    amount: BigInt(amount),
    pending: null,
    source: { currency, chain: network, address: sender ?? anybody },
  }
  const worth = await worthOf(
    work,
    { kind: 'wallet', subject: wallet.id },
    currency,
    notification.amount,
  )
  const sent = { customer: wallet.customer_id, currency: walletCurrency, amount: worth }
  const above = await countSent(work, { ...sent, isTold: () => isTold(work, notification) })
  const why = held ?? above
  if (why) return holdTokens(work, wallet.id, notification, why)
  return cryptoDeposit(work, { kind: 'wallet', subject: wallet.id }, notification)
}
