/** Deposits at Paystack: the state of a transaction, and transactions whose webhook was missed. */

import type { DepositState } from '../ports/bank-accounts.ts'
import type { InboundNotification } from '../ports/inbound.ts'
import { ownersOf } from '../records/provider-customers.ts'
import { type Account, differenceIn } from './account.ts'
import { type Answer, asObject, textOf, wholeOf } from './client.ts'
import { createdIn, fromDayBefore, paidIn } from './lists.ts'
import { leftOf } from './refund-list.ts'
import { isUnknownTransaction } from './refusals.ts'
import { notificationOf } from './webhooks.ts'

type Json = Record<string, unknown>

/**
 * A bound above the pages that a shop fills in the requested hours, so that an endless list stops.
 */
const mostPages = 500
const perPage = 100

/** Queries a transaction by either of its ids. */
export async function depositOf(
  account: Account,
  { reference, providerId }: { reference: string | null; providerId: string | null },
): Promise<DepositState> {
  if (reference === null && providerId === null) return { state: 'not_found' }
  const answer = await account.client.ask(
    reference === null
      ? {
          method: 'GET',
          path: '/transaction/{id}',
          params: { id: providerId as string },
          urgency: 'ask',
        }
      : {
          method: 'GET',
          path: '/transaction/verify/{reference}',
          params: { reference },
          urgency: 'ask',
        },
  )
  if (answer.is === 'refused')
    return isUnknownTransaction(answer) ? { state: 'not_found' } : { state: 'unknown' }
  return answer.is === 'answered'
    ? stateOf(account, { reference, providerId }, answer)
    : { state: 'unknown' }
}

async function stateOf(
  account: Account,
  asked: { reference: string | null; providerId: string | null },
  { data: answered }: Extract<Answer, { is: 'answered' }>,
): Promise<DepositState> {
  const data = asObject(answered) ?? {}
  const id = wholeOf(data.id)
  const reference = textOf(data.reference)
  const difference =
    id === null || reference === null
      ? 'no id'
      : asked.reference === null && String(id) !== asked.providerId
        ? 'another id'
        : differenceIn(
            account,
            data,
            asked.reference === null ? {} : { reference: asked.reference },
          )
  if (difference !== null || id === null || reference === null) {
    account.report(
      'quarantined',
      asked.reference ?? String(asked.providerId),
      `a transaction with ${difference}`,
    )
    return { state: 'impossible' }
  }
  if (data.status === 'reversed') {
    const left = await leftOf(account, data)
    if (left === null) return { state: 'unknown' }
    if (left <= 0n) {
      account.report('quarantined', reference, 'a transaction that was taken back at Paystack')
      return { state: 'impossible' }
    }
  } else if (data.status !== 'success') return { state: 'unpaid', reference }
  const amount = amountIn(data)
  const fees = wholeOf(data.fees)
  const whole = wholeOf(data.amount)
  if (amount === null || amount <= 0n || whole === null) {
    account.report('quarantined', reference, 'a transaction without an amount')
    return { state: 'impossible' }
  }
  const sender = asObject(data.authorization) ?? {}
  const code = textOf(asObject(data.customer)?.customer_code)
  return {
    state: 'paid',
    providerId: String(id),
    reference,
    amount,
    currency: 'ngn',
    kind: data.channel === 'dedicated_nuban' ? 'static' : 'dynamic',
    // The payer's part of the fee is on top of the amount.
    fee: fees === null ? null : fees - (whole - amount),
    availableAt: null,
    source: sourceIn(sender),
    accountNumber: textOf(sender.receiver_bank_account_number),
    customers: code === null ? [] : await ownersOf(account, code),
  }
}

/** The requested amount; with Paystack's fee on top, `amount` is more. A deposit has no request. */
function amountIn(data: Json): bigint | null {
  if (data.channel === 'dedicated_nuban') return wholeOf(data.amount)
  return wholeOf(data.requested_amount) ?? wholeOf(data.amount)
}

/** The sender. The account number is masked, so no money can be sent there. */
function sourceIn(sender: Json): Record<string, string> | null {
  const known = {
    account_name: textOf(sender.sender_name),
    account_number: textOf(sender.sender_bank_account_number),
    bank_name: textOf(sender.sender_bank),
  }
  const given = Object.entries(known).filter((one): one is [string, string] => one[1] !== null)
  return given.length === 0 ? null : Object.fromEntries(given)
}

/**
 * Returns transactions paid between two times, in the form of their webhooks; null if Paystack does
 * not answer. It is not documented which date the filter compares: for a deposit all are equal, and
 * payments started long before have timers of their own. Partly refunded ones are listed as
 * `reversed`.
 */
export async function missed(
  account: Account,
  from: Date,
  to: Date,
): Promise<InboundNotification[] | null> {
  const found: InboundNotification[] = []
  for (const status of ['success', 'reversed']) {
    const of = await missedOf(account, { status, from, to })
    if (of === 'unknown') return null
    if (of !== 'refused') found.push(...of)
    // The filter `reversed` is unconfirmed: its refusal must not hide successful payments.
    else if (status === 'success') return null
  }
  return found
}

type MissedQuery = { status: string; from: Date; to: Date }

async function missedOf({ client, log, name }: Account, { status, from, to }: MissedQuery) {
  const found: InboundNotification[] = []
  for (let page = 1; page <= mostPages; page++) {
    const answer = await client.ask({
      method: 'GET',
      path: '/transaction',
      urgency: 'sweep',
      query: {
        status,
        from: fromDayBefore(from),
        to: to.toISOString(),
        perPage: String(perPage),
        page: String(page),
      },
    })
    if (answer.is === 'refused') return 'refused'
    if (answer.is !== 'answered' || !Array.isArray(answer.data)) return 'unknown'
    const isOld = answer.data.every((row) => (createdIn(asObject(row) ?? {}) ?? from) < from)
    const rows = answer.data
      .map(asObject)
      .filter((row) => row?.status === status && (paidIn(row) ?? from) >= from)
    for (const row of rows) {
      // The form of its webhook at the time of the payment.
      const said = notificationOf('charge.success', { ...row, status: 'success' })
      if (said) found.push(said)
    }
    // The newest come first, and Paystack may ignore the status filter: pages after one that is too
    // old are older.
    if (answer.data.length < perPage || isOld) return found
  }
  log.error(
    { rail: name, from, to, pages: mostPages },
    'Paystack lists more than a sweep reads: reconcile finds the rest',
  )
  return found
}
