/**
 * Deposits to customers' cash balances. The money is the customer's until one payment intent takes
 * the whole movement. The movement's id is the idempotency key (for a day) and is in the metadata,
 * which is searched first, so each movement is taken once.
 */
import type { Stripe } from 'stripe'
import { asObject, textOf, wholeOf } from '../http/values.ts'
import type { DepositState } from '../ports/bank-accounts.ts'
import { ownersOf } from '../records/provider-customers.ts'
import type { Account } from './account.ts'
import type { Answer } from './client.ts'
import { readListV1 } from './lists.ts'
import { isUnknown } from './unconfirmed.ts'

type PaymentIn = Stripe.PaymentIntentCreateParams
type ConfirmIn = Stripe.PaymentIntentConfirmParams
type Movement = {
  id: string
  customer: string
  amount: bigint
  created: number
  sender: string | null
}
type Data = Record<string, unknown>

/** The id of the payment that takes a movement. */
const takingOf = (movement: string): string => `cb-${movement}`

/** The name of a movement, which Stripe finds only by its customer. */
export const movementName = (customer: string, movement: string): string =>
  `${customer} ${movement}`

/** The source of a taking payment's amount, and the fields that come back. */
const fromBalance = {
  payment_method_data: { type: 'customer_balance' as const },
  payment_method_options: {
    customer_balance: {
      funding_type: 'bank_transfer' as const,
      bank_transfer: { type: 'us_bank_transfer' as const },
    },
  },
  expand: ['latest_charge.balance_transaction'],
}

const expanded = { 'expand[0]': 'latest_charge.balance_transaction' }
/** The largest clock difference between Stripe's lists. Seconds. */
const slack = 60

/**
 * Queries a movement, and takes it if that was not done. Idempotent.
 * @param named by `movementName`, or the id of its taking payment, by which statements list it
 */
export async function takeDeposit(account: Account, named: string | null): Promise<DepositState> {
  if (named?.startsWith('pi_')) return takenBy(account, named)
  const [customer, id] = (named ?? '').split(' ')
  if (!customer || !id) return { state: 'not_found' }
  // Other users of this account at Stripe have customers too, whose money is not touched.
  const customers = await ownersOf(account, customer)
  if (customers.length === 0) return { state: 'not_found' }
  const movement = await readMovement(account, customer, id)
  if ('state' in movement) return movement
  const found = await paymentFor(account, movement)
  if ('state' in found) return found
  const { payment } = found
  const charge = asObject(payment.latest_charge) ?? {}
  const change = asObject(charge.balance_transaction)
  const isWhole = change?.currency === 'usd' && wholeOf(change.amount) === movement.amount
  const availableOn = isWhole ? wholeOf(change.available_on) : null
  return {
    state: 'paid',
    kind: 'static',
    currency: 'usd',
    providerId: payment.id as string,
    reference: takingOf(id),
    amount: movement.amount,
    customers,
    fee: isWhole ? wholeOf(change.fee) : null,
    availableAt: availableOn === null ? null : new Date(Number(availableOn) * 1_000),
    source: movement.sender === null ? null : { account_name: movement.sender },
    accountNumber: null,
  }
}

/** Queries the movement that a payment has taken, if it is one of ours. */
async function takenBy(account: Account, payment: string): Promise<DepositState> {
  const params = { id: payment }
  const answer = await account.client.ask({
    method: 'GET',
    path: '/v1/payment_intents/{id}',
    params,
    urgency: 'ask',
  })
  if (answer.is === 'refused' && isUnknown(answer)) return { state: 'not_found' }
  if (answer.is !== 'answered') return { state: 'unknown' }
  const movement = /^cb-(\S+)$/.exec(textOf(asObject(answer.data.metadata)?.bursar_id) ?? '')?.[1]
  const customer = textOf(answer.data.customer)
  if (answer.data.id !== payment || !movement || customer === null) return { state: 'not_found' }
  return takeDeposit(account, movementName(customer, movement))
}

function impossible(account: Account, subject: string, sentence: string): DepositState {
  account.report('quarantined', subject, sentence)
  return { state: 'impossible' }
}

async function readMovement(
  account: Account,
  customer: string,
  id: string,
): Promise<Movement | DepositState> {
  const answer = await account.client.ask({
    method: 'GET',
    path: '/v1/customers/{customer}/cash_balance_transactions/{id}',
    urgency: 'ask',
    params: { customer, id },
  })
  if (answer.is === 'refused' && isUnknown(answer)) return { state: 'not_found' }
  if (answer.is !== 'answered') return { state: 'unknown' }
  const { data } = answer
  const [amount, created] = [wholeOf(data.net_amount), wholeOf(data.created)]
  const difference =
    data.id !== id
      ? 'another id'
      : data.customer !== customer
        ? 'another customer'
        : data.livemode !== account.livemode
          ? 'another mode'
          : data.currency !== 'usd'
            ? 'another currency'
            : amount === null || created === null
              ? 'no amount or time'
              : null
  if (difference !== null || amount === null || created === null)
    return impossible(account, id, `a movement of a cash balance with ${difference}`)
  if (data.type !== 'funded' || amount <= 0n) return { state: 'unpaid', reference: takingOf(id) }
  const transfer = asObject(asObject(asObject(data.funded)?.bank_transfer)?.us_bank_transfer)
  return { id, customer, amount, created: Number(created), sender: textOf(transfer?.sender_name) }
}

/** Returns the payment that takes a whole movement, created if there is none yet. */
async function paymentFor(
  account: Account,
  movement: Movement,
): Promise<{ payment: Data } | DepositState> {
  const reference = takingOf(movement.id)
  const since = { customer: movement.customer, 'created[gte]': String(movement.created - slack) }
  const all = await readListV1(account, '/v1/payment_intents', since, 'ask')
  // A list of another customer proves nothing about this one.
  if (all === null || all.some((row) => row.customer !== movement.customer))
    return { state: 'unknown' }
  const ours = all.filter((row) => asObject(row.metadata)?.bursar_id === reference)
  if (ours.length > 1)
    return impossible(account, movement.id, `Stripe has ${ours.length} payments of one movement`)
  const [found] = ours
  const answer =
    found === undefined
      ? await createPayment(account, movement, reference)
      : await continuePayment(account, found)
  if (answer.is === 'refused' && answer.code === 'amount_too_small') {
    account.report(
      'needs_attention',
      movement.id,
      'it is less than Stripe takes in: it stays in the cash balance there',
    )
    return { state: 'unpaid', reference }
  }
  if (answer.is !== 'answered') return { state: 'unknown' }
  return checked(account, movement, reference, answer.data)
}

/** Takes a movement by a payment of its amount. */
export const createPayment = (
  { client }: Account,
  { customer, amount }: Movement,
  reference: string,
): Promise<Answer> =>
  client.ask({
    method: 'POST',
    path: '/v1/payment_intents',
    urgency: 'send',
    key: reference,
    query: {},
    body: {
      amount: Number(amount),
      currency: 'usd',
      customer,
      confirm: true,
      metadata: { bursar_id: reference },
      allowed_payment_method_types: ['customer_balance'],
      ...fromBalance,
    } satisfies PaymentIn,
  })

/** Continues an earlier payment: returns it, or retries it if it has taken nothing yet. */
export function continuePayment({ client, clock }: Account, { id, status }: Data): Promise<Answer> {
  const params = { id: String(id) }
  if (status === 'succeeded' || status === 'processing' || status === 'canceled')
    return client.ask({
      method: 'GET',
      path: '/v1/payment_intents/{id}',
      params,
      query: expanded,
      urgency: 'ask',
    })
  // A new key, so that Stripe does not repeat an earlier answer. A payment takes only once, however
  // often it is confirmed.
  const key = `${id}-${clock.now().getTime()}`
  return client.ask({
    method: 'POST',
    path: '/v1/payment_intents/{id}/confirm',
    urgency: 'send',
    // Stripe may have detached its payment method.
    params,
    key,
    body: fromBalance satisfies ConfirmIn,
  })
}

function checked(
  account: Account,
  movement: Movement,
  reference: string,
  data: Data,
): { payment: Data } | DepositState {
  const difference =
    textOf(data.id) === null
      ? 'no id'
      : asObject(data.metadata)?.bursar_id !== reference
        ? 'another reference'
        : data.customer !== movement.customer
          ? 'another customer'
          : data.currency !== 'usd'
            ? 'another currency'
            : wholeOf(data.amount) !== movement.amount
              ? 'another amount'
              : data.livemode !== account.livemode
                ? 'another mode'
                : data.status === 'canceled'
                  ? 'its end: it was canceled'
                  : null
  if (difference !== null)
    return impossible(account, movement.id, `a payment of a movement with ${difference}`)
  if (data.status !== 'succeeded') return { state: 'unknown' }
  if (wholeOf(data.amount_received) !== movement.amount)
    return impossible(account, movement.id, 'a payment of a movement that took another amount')
  return { payment: data }
}
