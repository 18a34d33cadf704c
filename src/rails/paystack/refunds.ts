/**
 * Refunds of Paystack payments to the card or account that paid. Paystack has no idempotency for
 * them: sending twice refunds twice. So each carries our note, and none is resent while a refund
 * without a note may be ours.
 */
import { idBound } from '../../lib/ids.ts'
import { failed, latestOf, obstacleIn, refusedNow, unknown } from '../http/answers.ts'
import { meaningOfRefusal, quarantine, unlistedRefusal } from '../http/refusals.ts'
import type { Charge, OrderState, PayoutOrder, RefundRail } from '../ports/rail.ts'
import { type Account, differenceIn } from './account.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import { timeIn } from './lists.ts'
import { noteIn, noteOf, refundsOf, transactionIn } from './refund-list.ts'
import { isNotFound, refundRefusals } from './refusals.ts'

/** A transaction at Paystack: refunds name its id, their webhooks its reference. */
type Paid = { id: string; reference: string }
type RefundOrder = PayoutOrder & { destination: { type: 'charge' } }
type Data = Record<string, unknown>

/** The largest clock difference between this machine and Paystack. */
const skewMs = 600_000
/** The oldest entries beyond this number are dropped. */
const mostKept = 1_000

/** `known`: transactions by charge, cached because they never change. */
type RefundAccount = Account & { known: Map<string, Paid> }

export function paystackRefunds(of: Account): RefundRail {
  const account: RefundAccount = { ...of, known: new Map() }
  return {
    name: account.name,
    orderLifeMs: 600_000,
    methods: ['card', 'bank_transfer'],
    // Most refund webhooks name the transaction and not the refund.
    async referenceOf(order) {
      const paid = isBack(order) ? await paidOf(account, order.destination.charge) : null
      if (paid === null)
        throw new Error('Paystack did not say what it knows the transaction of a refund by')
      return paid.reference
    },
    send: (order) => send(account, order),
    ask: (order) => ask(account, order),
  }
}

/** Returns a transaction by one of its ids; null if Paystack does not answer. */
async function findTransaction(
  account: RefundAccount,
  subject: string,
  by: { id: string } | { reference: string },
): Promise<Paid | null> {
  const answer = await account.client.ask({
    method: 'GET',
    urgency: 'ask',
    params: by,
    path: 'id' in by ? '/transaction/{id}' : '/transaction/verify/{reference}',
  })
  if (answer.is !== 'answered') return null
  const data = asObject(answer.data) ?? {}
  const id = wholeOf(data.id)?.toString() ?? null
  const reference = textOf(data.reference)
  const same = 'id' in by ? id === by.id : reference === by.reference
  const difference = same ? differenceIn(account, data, {}) : 'another reference'
  if (id !== null && reference !== null && difference === null) return { id, reference }
  account.report('quarantined', subject, `a transaction with ${difference ?? 'no name'}`)
  return null
}

/**
 * Returns the transaction of a charge, which never changes; null if Paystack does not say. Queries
 * both its ids, because webhooks are matched by the stored ones.
 */
async function paidOf(
  account: RefundAccount,
  { id: subject, providerReference: name }: Charge,
): Promise<Paid | null> {
  if (name === null) {
    account.report(
      'quarantined',
      subject,
      'money is to be given back that Paystack has no name for',
    )
    return null
  }
  const before = account.known.get(name)
  if (before) return before
  const first = await findTransaction(
    account,
    subject,
    /^\d+$/.test(name) ? { id: name } : { reference: name },
  )
  const paid =
    first &&
    (await findTransaction(
      account,
      subject,
      first.id === name ? { reference: first.reference } : { id: first.id },
    ))
  if (first === null || paid === null) return null
  if (paid.id !== first.id || paid.reference !== first.reference) {
    account.report('quarantined', subject, 'a transaction with another reference')
    return null
  }
  account.known.set(name, paid)
  if (account.known.size > mostKept)
    account.known.delete(account.known.keys().next().value as string)
  return paid
}

async function send(account: RefundAccount, order: PayoutOrder): Promise<OrderState> {
  if (!isBack(order) || order.currency !== 'ngn') return failed('rejected')
  const paid = await paidOf(account, order.destination.charge)
  if (paid === null) return refusedNow('provider_down')
  const answer = await account.client.ask({
    method: 'POST',
    path: '/refund',
    urgency: 'send',
    latest: latestOf(account, order),
    body: {
      transaction: paid.id,
      amount: Number(order.amount),
      currency: 'NGN',
      merchant_note: noteOf(order.id, order.attempt),
    },
  })
  const certain = obstacleIn(answer)
  if (certain !== null) return certain
  if (answer.is === 'answered') return stateOf(account, order, paid, asObject(answer.data) ?? {})
  if (answer.is !== 'refused') return unknown
  const meaning = meaningOfRefusal(refundRefusals, answer)
  if (meaning === 'balance_too_low') return refusedNow(meaning)
  if (meaning === null) {
    return unlistedRefusal(account, order, answer)
  }
  // An earlier try may have refunded a transaction with nothing left.
  const said = await ask(account, order)
  return said.state === 'not_found' ? failed('rejected') : said
}

async function ask(account: RefundAccount, order: PayoutOrder): Promise<OrderState> {
  if (!isBack(order)) return unknown
  const paid = await paidOf(account, order.destination.charge)
  if (paid === null) return unknown
  const { refund } = order.destination
  if (refund === null) return findByNote(account, order, paid)
  const answer = await account.client.ask({
    method: 'GET',
    path: '/refund/{id}',
    urgency: 'ask',
    params: { id: refund },
  })
  if (answer.is === 'answered') return stateOf(account, order, paid, asObject(answer.data) ?? {})
  if (answer.is === 'refused' && isNotFound(answer))
    account.report(
      'quarantined',
      order.id,
      `Paystack has taken refund ${refund}, and knows it no more`,
    )
  return unknown
}

/** Finds a refund in its transaction by our note. */
async function findByNote(
  account: RefundAccount,
  order: RefundOrder,
  paid: Paid,
): Promise<OrderState> {
  const all = await refundsOf(account, paid.id)
  if (all === null) return unknown
  const ours = all.filter((row) => noteIn(row) === order.id)
  if (ours.length > 1)
    account.report('quarantined', order.id, `it was given back ${ours.length} times`)
  const [found] = [...ours.filter(({ status }) => status !== 'failed'), ...ours]
  if (found !== undefined) return stateOf(account, order, paid, found)
  if (!all.some((row) => mayBe(order, row))) return { state: 'not_found' }
  account.report(
    'quarantined',
    order.id,
    'a refund of the same amount, without the note that says whose it is',
  )
  return unknown
}

/**
 * Returns an order's state from Paystack's answer about a refund, if the answer is about that order
 * at all.
 */
function stateOf(account: RefundAccount, order: RefundOrder, paid: Paid, data: Data): OrderState {
  const { refund } = order.destination
  const id = wholeOf(data.id)?.toString() ?? null
  const difference =
    differenceIn(account, data, { amount: order.amount }) ??
    (transactionIn(data) === paid.id && (referenceIn(data) ?? paid.reference) === paid.reference
      ? null
      : 'another transaction') ??
    (id === null || (refund !== null && id !== refund) ? 'another id' : null)
  if (difference !== null) return quarantine(account, order, `a refund with ${difference}`)
  const providerReference = id as string
  switch (data.status) {
    case 'processed':
      return { state: 'completed', providerReference, txHash: null }
    case 'pending':
    case 'processing':
      return { state: 'processing', providerReference, askAgainInMs: null }
    case 'needs-attention':
      account.report(
        'needs_attention',
        order.id,
        `Paystack cannot give refund ${id} back to where it came from`,
      )
      return { state: 'processing', providerReference, askAgainInMs: null }
    case 'failed':
      return { state: 'failed', reason: 'rejected', providerReference }
    default:
      return quarantine(account, order, sentenceOfState(data.status))
  }
}

/**
 * Returns what a person must do about a refund in an unknown state. Paystack documents four states:
 * https://support.paystack.com/hc/en-us/articles/4417248717202. `reversed` is none of them,
 * although answers have a field `reversed_at`.
 */
const sentenceOfState = (status: unknown): string =>
  status === 'reversed'
    ? 'Paystack says that this refund is reversed, and documents no such state: ask its support whether the payer has the money. It is asked about again until it is processed or failed'
    : 'a refund in a state that this version does not know'

const isBack = (order: PayoutOrder): order is RefundOrder => order.destination.type === 'charge'

const referenceIn = ({ transaction, transaction_reference }: Data): string | null =>
  textOf(asObject(transaction)?.reference ?? transaction_reference)

/** Whether a refund without our note may be the one we sent, if Paystack does not keep notes. */
function mayBe({ id, amount }: PayoutOrder, row: Data): boolean {
  if (noteIn(row) !== null || row.amount !== Number(amount) || row.status === 'failed') return false
  const at = timeIn(row.createdAt ?? row.created_at)
  return at === null || idBound(new Date(at.getTime() + skewMs)) > id
}
