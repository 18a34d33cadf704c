/**
 * Deposits to reserved accounts at Monnify: the state of a transaction, and deposits whose webhook
 * was missed.
 */
import { sha256 } from '../../lib/secrets.ts'
import { asObject, textOf } from '../http/values.ts'
import type { DepositState } from '../ports/bank-accounts.ts'
import type { InboundNotification } from '../ports/inbound.ts'
import { ownersOf } from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import { isUnknownReference, paidEvent, reservedChannel } from './confirmed.ts'
import { readList } from './lists.ts'
import { nairaIn } from './wallet.ts'

type Data = Record<string, unknown>

export const transactions = '/api/v1/transactions/search'

/** The reference of the reserved account that a transaction paid, if any. */
export function reservedIn(data: Data | null): string | null {
  const product = asObject(data?.product)
  return product?.type === 'RESERVED_ACCOUNT' ? textOf(product.reference) : null
}

/** Queries a transaction by Monnify's reference. */
export async function depositOf(account: Account, id: string | null): Promise<DepositState> {
  if (id === null) return { state: 'not_found' }
  const path = `/api/v2/transactions/${encodeURIComponent(id)}` as const
  const answer = await account.client.ask({ method: 'GET', path, urgency: 'ask' })
  if (answer.is === 'refused')
    return isUnknownReference(answer) ? { state: 'not_found' } : { state: 'unknown' }
  if (answer.is !== 'answered') return { state: 'unknown' }
  const { data } = answer
  const [amount, reference] = [nairaIn(data.amountPaid), reservedIn(data)]
  // Other payments to the same contract are not ours.
  if (data.transactionReference === id && reference === null) return { state: 'not_found' }
  const difference =
    data.transactionReference !== id
      ? 'another reference'
      : data.currency !== 'NGN'
        ? 'another currency'
        : amount === null
          ? 'no amount'
          : null
  if (difference !== null || amount === null || reference === null) {
    account.report('quarantined', id, `a transaction with ${difference}`)
    return { state: 'impossible' }
  }
  if (data.paymentStatus !== 'PAID' || amount <= 0n) return { state: 'unpaid', reference }
  const settled = nairaIn(data.settlementAmount)
  const [sender] = [data.paymentSourceInformation].flat().map(asObject)
  return {
    state: 'paid',
    kind: 'static',
    currency: 'ngn',
    providerId: id,
    reference,
    amount,
    customers: await ownersOf(account, reference),
    fee: settled === null ? null : amount - settled,
    availableAt: null,
    source: sourceIn(sender ?? {}),
    accountNumber: textOf(asObject(data.destinationAccountInformation)?.accountNumber),
  }
}

function sourceIn(sender: Data): Record<string, string> | null {
  const known = {
    account_name: textOf(sender.accountName),
    account_number: textOf(sender.accountNumber),
    bank_code: textOf(sender.bankCode),
  }
  const given = Object.entries(known).filter((one): one is [string, string] => one[1] !== null)
  return given.length === 0 ? null : Object.fromEntries(given)
}

/**
 * Returns payments to reserved accounts between two times, in the form of their webhooks; null if
 * Monnify does not answer.
 */
export async function missed(
  account: Account,
  from: Date,
  to: Date,
): Promise<InboundNotification[] | null> {
  const range = { from: String(from.getTime()), to: String(to.getTime()), paymentStatus: 'PAID' }
  const rows = await readList(account, transactions, range, { page: 'page', size: 'size' }).catch(
    () => null,
  )
  return rows?.filter(mayBeReserved).flatMap((row) => eventOf(row) ?? []) ?? null
}

/**
 * Whether a search row may be a payment to a reserved account. Only the transaction names the
 * account.
 */
export const mayBeReserved = (row: Data): boolean =>
  (row.collectionChannel ?? reservedChannel) === reservedChannel || reservedIn(row) !== null

/** Returns the subject of a payment's webhook; null if it did not pay a reserved account. */
export const notificationOf = (data: Data | null): InboundNotification | null =>
  reservedIn(data) === null ? null : eventOf(data)

/** The same event for a transaction, whatever its source. */
function eventOf(data: Data | null): InboundNotification | null {
  const providerId = textOf(data?.transactionReference)
  if (providerId === null) return null
  const key = sha256(`${paidEvent} ${providerId}`).toString('hex')
  return { key, type: paidEvent, about: { kind: 'deposit', reference: null, providerId } }
}
