/**
 * Money that came to accounts at Paystack: what a transaction says when it is asked about, and
 * which there are that nobody may have notified of.
 */

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
 * More pages than a shop fills in the hours that are looked at: what goes on and on is not read.
 */
const mostPages = 500
const perPage = 100

/** Asks about a transaction, by either of its names. */
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
    // What the payer bore of the fee came on top of the amount.
    fee: fees === null ? null : fees - (whole - amount),
    availableAt: null,
    source: sourceIn(sender),
    accountNumber: textOf(sender.receiver_bank_account_number),
    customers: code === null ? [] : await ownersOf(account, code),
  }
}

/**
 * What was asked for: with Paystack's fee on top, `amount` is more. A deposit was asked for by
 * nobody.
 */
function amountIn(data: Json): bigint | null {
  if (data.channel === 'dedicated_nuban') return wholeOf(data.amount)
  return wholeOf(data.requested_amount) ?? wholeOf(data.amount)
}

/** Who sent it. The number is masked, so nothing can be sent there. */
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
 * The transactions that Paystack says were paid between two times, as webhooks would have told of
 * them; null when it does not answer. Which date of a transaction is compared is not documented: a
 * deposit is made and paid at one moment, and what was started long before has timers of its own.
 * What was given back in part is listed as `reversed`.
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
    // Nobody has confirmed the filter `reversed`: what is refused there must not hide the payments
    // that stand.
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
      // As the webhook told of it, when it was paid.
      const said = notificationOf('charge.success', { ...row, status: 'success' })
      if (said) found.push(said)
    }
    // The newest come first, and the filter by status may be ignored: what follows a page that is
    // too old is older.
    if (answer.data.length < perPage || isOld) return found
  }
  log.error(
    { rail: name, from, to, pages: mostPages },
    'Paystack lists more than a sweep reads: reconcile finds the rest',
  )
  return found
}
