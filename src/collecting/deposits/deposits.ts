/**
 * Books deposits that rails notify of, idempotently, in one transaction with everything that
 * follows. Money is booked whatever its amount or time.
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
import { bookMany, expectedTransaction, type NewDeposit, providerReceipt } from './booking.ts'
import { depositEvents } from './events.ts'
import { holdBankDeposit, holdTokens, screenSender } from './holding.ts'
import { bookOnce, type DepositNotification, isBooked } from './notifications.ts'
import { refuse } from './refusals.ts'
import type { SimulateDepositIn, SimulateTokensIn } from './schema.ts'
import { countDeposit, isLimited } from './tiers.ts'
import { bookTokensOnce, type TokenNotification, walletCurrency, worthOf } from './tokens.ts'

export { assignDeposit } from './assigning.ts'
export { chainDeposits, listSweepable } from './chain.ts'
export { depositRefusals } from './refusals.ts'
export { bookTokensOnce } from './tokens.ts'

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

/** The fields of an account that never change, so that they may be read before the transaction. */
type Account = Pick<AccountRow, 'id' | 'payment_id' | 'currency' | 'customer_id'>

/**
 * Books a deposit on a virtual account. Concurrent deposits on accounts without a payment share a
 * transaction.
 * @returns the transaction, the same one for the same notification
 * @throws {Refusal} those of `bookDeposit`; `overloaded` (429)
 */
export async function bookBankDeposit(
  ctx: Ctx,
  account: Account,
  notification: DepositNotification,
): Promise<Transaction> {
  const seen = await assessDeposit(ctx, account, notification)
  if (seen.held || seen.limited)
    return ctx.write((work) => bookAssessed(work, account, notification, seen))
  if (account.payment_id !== null)
    return ctx.write((work) => bookDeposit(work, account, notification))
  return bookGathered(ctx.db, newDeposit(ctx, account, notification))
}

/**
 * What is known of a deposit before it is booked.
 * @property held the match for which screening holds it; null: none
 * @property limited whether its customer's deposits are counted
 */
export type Assessment = { held: Held | null; limited: boolean }

type AssessmentRequest = {
  ctx: Ctx
  account: Parameters<typeof assessOne>[1]
  notification: Pick<DepositNotification, 'source'>
}

/** Assesses concurrent deposits together, and keeps their order. */
const assessGathered = gathered((_db, all: AssessmentRequest[]) =>
  Promise.all(
    all.map(({ ctx, account, notification }) =>
      assessOne(ctx, account, notification).then(
        (answer): Outcome<Assessment> => ({ answer }),
        (refusal: Error) => ({ refusal }),
      ),
    ),
  ),
)

/**
 * Screens the sender of a deposit, and checks whether limits apply. Outside of any transaction.
 * @throws {Error} when a list does not answer
 */
export const assessDeposit = (
  ctx: Ctx,
  account: AssessmentRequest['account'],
  notification: AssessmentRequest['notification'],
): Promise<Assessment> => assessGathered(ctx.db, { ctx, account, notification })

async function assessOne(
  ctx: Ctx,
  { customer_id, currency }: Pick<Account, 'customer_id' | 'currency'>,
  { source }: Pick<DepositNotification, 'source'>,
): Promise<Assessment> {
  const [held, limited] = await Promise.all([
    screenSender(ctx, source),
    isLimited(ctx, customer_id, currency),
  ])
  return { held, limited }
}

/**
 * Books a deposit on a virtual account, or holds it for review.
 * @throws {Refusal} those of `bookDeposit`
 */
export async function bookAssessed(
  work: Work,
  account: Account,
  notification: DepositNotification,
  { held, limited }: Assessment,
): Promise<Transaction> {
  const { customer_id: customer, currency } = account
  const sent = {
    customer,
    currency,
    amount: notification.amount,
    isBooked: () => isBooked(work, notification),
  }
  const above = limited ? await countDeposit(work, sent) : null
  const why = held ?? above
  return why
    ? holdBankDeposit(work, account, notification, why)
    : bookDeposit(work, account, notification)
}

/**
 * Books a deposit on a virtual account.
 * @returns the transaction, the same one for the same notification
 * @throws {Refusal} `amount_too_large` when the wallet cannot hold it: the rail can repeat the
 * notification; `notice_reused` (409) when it was booked with another amount or account
 */
export async function bookDeposit(
  work: Work,
  account: Account,
  notification: DepositNotification,
): Promise<Transaction> {
  if (account.payment_id !== null)
    return bookForPayment(work, account.id, account.payment_id, notification)
  const [outcome] = await bookMany(work.tx, [newDeposit(work, account, notification)])
  return answerOf(outcome as Outcome<Transaction>)
}

function newDeposit(
  { scope, pricing, log, secrets }: View,
  { id, currency }: Account,
  notification: DepositNotification,
): NewDeposit {
  const fee = pricing.incomingFee('deposit', 'bank_transfer', currency, notification.amount)
  return { scope, account: id, currency, notification, fee, log, secrets }
}

/** Books a deposit on the account of a payment. */
function bookForPayment(
  work: Work,
  account: Id,
  payment: Id,
  notification: DepositNotification,
): Promise<Transaction> {
  const expected = expectedTransaction({ account, notification })
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
      const receipt = providerReceipt(notification, of)
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
 * A deposit that a test key simulates. `deposit` is for accounts that do not belong to a payment.
 */
export type ReadDeposit = {
  account: Account
  notification: DepositNotification
  deposit: NewDeposit
  seen: Assessment
}

/**
 * Reads the request to simulate a deposit on a virtual account.
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
      `The account is at '${account.rail}': send money to it there, in the provider's test mode.`,
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
  const seen = await assessDeposit(ctx, account, notification)
  return { account, notification, seen, deposit: newDeposit(ctx, account, notification) }
}

/** The sender of simulated tokens, unless the request names one. */
const defaultSender = '0x000000000000000000000000000000000000dEaD'

/** Screens the sender of simulated tokens. */
export const screenTokens = (
  ctx: Ctx,
  { sender }: Static<typeof SimulateTokensIn>,
): Promise<Held | null> => screenSender(ctx, sender === undefined ? null : { address: sender })

/**
 * Simulates confirmed tokens at a crypto wallet, without any node.
 * @throws {Refusal} `not_found`; `unsupported_chain`; those of `bookTokensOnce`
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
    source: { currency, chain: network, address: sender ?? defaultSender },
  }
  const worth = await worthOf(
    work,
    { kind: 'wallet', subject: wallet.id },
    currency,
    notification.amount,
  )
  const sent = { customer: wallet.customer_id, currency: walletCurrency, amount: worth }
  const above = await countDeposit(work, { ...sent, isBooked: () => isBooked(work, notification) })
  const why = held ?? above
  if (why) return holdTokens(work, wallet.id, notification, why)
  return bookTokensOnce(work, { kind: 'wallet', subject: wallet.id }, notification)
}
