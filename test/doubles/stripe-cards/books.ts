/** The balance of the double of Stripe, change by change, and disputes, which change it. Cents. */
import type { Stripe } from 'stripe'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json }
type Call = { form: URLSearchParams; query: URLSearchParams; path: string; raw: Buffer }

export const bookOperations = [
  'list_changes',
  'get_dispute',
  'update_dispute',
  'close_dispute',
  'upload_file',
  'get_balance',
] as const
export type BookOperation = (typeof bookOperations)[number]
export const bookRoutes: [method: string, pattern: RegExp, name: BookOperation][] = [
  ['GET', /^\/v1\/balance_transactions$/, 'list_changes'],
  ['GET', /^\/v1\/disputes\/du_\w+$/, 'get_dispute'],
  ['POST', /^\/v1\/disputes\/du_\w+$/, 'update_dispute'],
  ['POST', /^\/v1\/disputes\/du_\w+\/close$/, 'close_dispute'],
  ['POST', /^\/v1\/files$/, 'upload_file'],
  ['GET', /^\/v1\/balance$/, 'get_balance'],
]

type Change = {
  id: string
  type: Stripe.BalanceTransaction.Type
  amount: number
  fee: number
  created: number
  availableOn: number
  /** As it is when it is listed. */
  source(): Json
}
type Dispute = {
  id: string
  payment: string
  amount: number
  status: Stripe.Dispute.Status
  due: number
  /** What was submitted, and how often. */
  evidence: Record<string, string>
  submissions: number
}

const disputeFee = 1_500
const daySeconds = 86_400

type Parts = {
  seconds(): number
  id(prefix: string): string
  livemode: boolean
  emit(type: string, reference: string, about: Json): void
  refused(status: number, code: string, message: string): Error
}

export function openBooks({ seconds, id, livemode, emit, refused }: Parts) {
  const all: Change[] = []
  const disputes: Dispute[] = []
  const files: { id: string; raw: Buffer }[] = []
  const add = (
    type: Change['type'],
    {
      amount,
      fee = 0,
      days = 0,
      source,
    }: Pick<Change, 'amount' | 'source'> & { fee?: number; days?: number },
  ): void => {
    const created = seconds()
    const availableOn = created + days * daySeconds
    all.push({
      id: id('txn').replace('_live', ''),
      type,
      amount,
      fee,
      created,
      availableOn,
      source,
    })
  }
  const net = ({ amount, fee }: Change): number => amount - fee
  const sumOf = (changes: Change[]): number => changes.reduce((sum, one) => sum + net(one), 0)
  const isThere = ({ availableOn }: Change): boolean => availableOn <= seconds()
  const bodyOf = (one: Change): Json => {
    const body: Partial<Stripe.BalanceTransaction> = {
      id: one.id,
      object: 'balance_transaction',
      type: one.type,
      amount: one.amount,
      fee: one.fee,
      net: net(one),
      currency: 'usd',
      created: one.created,
      available_on: one.availableOn,
      reporting_category: one.type === 'adjustment' ? 'dispute' : one.type,
    }
    return body
  }
  const disputeBody = (one: Dispute): Json => {
    const body: Partial<Omit<Stripe.Dispute, 'evidence_details'>> & Json = {
      id: one.id,
      object: 'dispute',
      amount: one.amount,
      currency: 'usd',
      livemode,
      metadata: {},
      payment_intent: one.payment,
      reason: 'fraudulent',
      status: one.status,
      charge: `ch_${one.payment}`,
      evidence_details: {
        due_by: one.due,
        has_evidence: one.submissions > 0,
        past_due: false,
        submission_count: one.submissions,
      },
    }
    return body
  }
  const found = (name: string): Dispute => {
    const one = disputes.find((other) => other.id === name)
    if (one === undefined) throw refused(404, 'resource_missing', 'No such dispute')
    return one
  }
  const tell = (type: string, one: Dispute): void =>
    emit(`charge.dispute.${type}`, one.id, disputeBody(one))

  const run: Record<BookOperation, (call: Call) => Answer> = {
    list_changes({ query }) {
      const rows = all
        .filter(({ created }) => created >= Number(query.get('created[gte]')))
        .toReversed()
      const start = rows.findIndex((one) => one.id === query.get('starting_after')) + 1
      const end = start + Number(query.get('limit') ?? 10)
      const data = rows.slice(start, end).map((one) => ({ ...bodyOf(one), source: one.source() }))
      return { status: 200, body: { object: 'list', data, has_more: end < rows.length } }
    },
    get_dispute: ({ path }) => ({
      status: 200,
      body: disputeBody(found(path.split('/').at(-1) ?? '')),
    }),
    update_dispute({ form, path }) {
      const one = found(path.split('/').at(-1) ?? '')
      if (!['needs_response', 'warning_needs_response'].includes(one.status))
        throw refused(400, 'dispute_already_answered', 'This dispute is already answered')
      for (const [name, value] of form) {
        const field = /^evidence\[(\w+)\]$/.exec(name)?.[1]
        if (field !== undefined) one.evidence[field] = value
        else if (name !== 'submit') throw refused(400, 'parameter_unknown', name)
      }
      if (form.get('submit') === 'true') {
        one.submissions += 1
        one.status = one.status === 'needs_response' ? 'under_review' : 'warning_under_review'
        tell('updated', one)
      }
      return { status: 200, body: disputeBody(one) }
    },
    close_dispute({ path }) {
      const one = found(path.split('/').at(-2) ?? '')
      one.status = 'lost'
      tell('closed', one)
      return { status: 200, body: disputeBody(one) }
    },
    upload_file({ raw }) {
      const text = raw.toString('latin1')
      if (!text.includes('dispute_evidence')) throw refused(400, 'parameter_missing', 'purpose')
      const file = { id: id('file').replace('_live', ''), raw }
      files.push(file)
      const body: Partial<Stripe.File> = {
        id: file.id,
        object: 'file',
        purpose: 'dispute_evidence',
      }
      return { status: 200, body }
    },
    get_balance() {
      const sums = [all.filter(isThere), all.filter((one) => !isThere(one))].map(sumOf)
      const [available, pending] = sums.map((amount) => [{ amount, currency: 'usd' }])
      return { status: 200, body: { object: 'balance', livemode, available, pending } }
    },
  }
  const made = {
    all,
    disputes,
    files,
    add,
    run,
    bodyOf,
    available: (): number => sumOf(all.filter(isThere)),
    /** A payer's bank takes a payment back, and Stripe a fee. @returns the dispute's id */
    dispute(
      payment: string,
      amount: number,
      status: Stripe.Dispute.Status = 'needs_response',
    ): string {
      const one: Dispute = {
        id: id('du').replace('_live', ''),
        payment,
        amount,
        status,
        due: seconds() + 7 * daySeconds,
        evidence: {},
        submissions: 0,
      }
      disputes.push(one)
      add('adjustment', { amount: -amount, fee: disputeFee, source: () => disputeBody(one) })
      tell('created', one)
      tell('funds_withdrawn', one)
      return one.id
    },
    /** An answered inquiry becomes a chargeback. */
    escalate(name: string): void {
      const one = found(name)
      Object.assign(one, { status: 'needs_response', due: seconds() + 7 * daySeconds })
      tell('updated', one)
    },
    endDispute(name: string, outcome: 'won' | 'lost'): void {
      const one = found(name)
      one.status = outcome
      if (outcome === 'won') {
        add('adjustment', { amount: one.amount, source: () => disputeBody(one) })
        tell('funds_reinstated', one)
      }
      tell('closed', one)
    },
    /**
     * What is there goes to the operator's own bank. @returns a hand that has the bank send it back
     */
    payOut(): () => void {
      const payout = { id: id('po').replace('_live', ''), object: 'payout' }
      const amount = made.available()
      add('payout', { amount: -amount, source: () => payout })
      return () => add('payout_failure', { amount, source: () => payout })
    },
    /** Stripe charges something of its own. */
    charge: (amount: number): void => add('stripe_fee', { amount: -amount, source: () => null }),
  }
  return made
}
