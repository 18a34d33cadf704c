/**
 * Customers of the double of Stripe, their cash balances, and the payments that take what came.
 * Cents.
 */
import type { Stripe } from 'stripe'
import type { openBooks } from './books.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
type Answer = { status: number; body: Json; subject?: string }
type Call = { form: URLSearchParams; query: URLSearchParams; path: string }

export const cashOperations = [
  'create_customer',
  'funding_instructions',
  'get_movement',
  'list_payments',
  'create_payment',
  'confirm_payment',
] as const
export type CashOperation = (typeof cashOperations)[number]

export const cashRoutes: [method: string, pattern: RegExp, name: CashOperation][] = [
  ['POST', /^\/v1\/customers$/, 'create_customer'],
  ['POST', /^\/v1\/customers\/cus_\w+\/funding_instructions$/, 'funding_instructions'],
  ['GET', /^\/v1\/customers\/cus_\w+\/cash_balance_transactions\/ccsbtxn_\w+$/, 'get_movement'],
  ['GET', /^\/v1\/payment_intents$/, 'list_payments'],
  ['POST', /^\/v1\/payment_intents$/, 'create_payment'],
  ['POST', /^\/v1\/payment_intents\/pi_\w+\/confirm$/, 'confirm_payment'],
]

const known: Record<string, RegExp> = {
  create_customer:
    /^(name|email|metadata\[bursar_customer\]|cash_balance\[settings\]\[reconciliation_mode\])$/,
  funding_instructions: /^(currency|funding_type|bank_transfer\[type\])$/,
  create_payment:
    /^(amount|currency|customer|confirm|metadata\[bursar_id\]|allowed_payment_method_types\[0\]|payment_method_data\[type\]|payment_method_options\[customer_balance\]\[(funding_type|bank_transfer\]\[type)\]|expand\[0\])$/,
  confirm_payment:
    /^(payment_method_data\[type\]|payment_method_options\[customer_balance\]\[(funding_type|bank_transfer\]\[type)\]|expand\[0\])$/,
}

export type Customer = { id: string; ours: string; name: string; balance: number; number: string }
type Movement = {
  id: string
  customer: Customer
  amount: number
  type: string
  sender: string | null
  created: number
}
export type Taking = {
  id: string
  customer: Customer
  reference: string
  amount: number
  status: 'requires_action' | 'succeeded' | 'canceled'
  created: number
}

const leastTaken = 50
const fee = (amount: number): number => Math.min(Math.round(amount * 0.005), 500)

type Parts = {
  seconds(): number
  id(prefix: string): string
  livemode: boolean
  violations: string[]
  books: Pick<ReturnType<typeof openBooks>, 'add' | 'all' | 'bodyOf'>
  emit(type: string, reference: string, about: Json): void
  refused(status: number, code: string, message: string): Error
}

export function openCash({ seconds, id, livemode, violations, books, emit, refused }: Parts) {
  const customers: Customer[] = []
  const movements: Movement[] = []
  const takings: Taking[] = []
  const settings = { enabled: true }
  let numbers = 4_000_000_000

  const customerOf = (name: string | undefined): Customer => {
    const found = customers.find((one) => one.id === name)
    if (found === undefined) throw refused(404, 'resource_missing', `No such customer: '${name}'`)
    return found
  }
  const move = (
    customer: Customer,
    amount: number,
    type: string,
    sender: string | null = null,
  ): Movement => {
    customer.balance += amount
    const made = {
      id: id('ccsbtxn').replace('_live', ''),
      customer,
      amount,
      type,
      sender,
      created: seconds(),
    }
    movements.push(made)
    return made
  }
  const bodyOfMovement = (one: Movement): Json => {
    const body: Partial<Omit<Stripe.CustomerCashBalanceTransaction, 'funded'>> & Json = {
      id: one.id,
      object: 'customer_cash_balance_transaction',
      customer: one.customer.id,
      currency: 'usd',
      net_amount: one.amount,
      type: one.type,
      created: one.created,
      livemode,
    }
    const us = { network: 'ach', sender_name: one.sender }
    if (one.type === 'funded')
      body.funded = {
        bank_transfer: { reference: null, type: 'us_bank_transfer', us_bank_transfer: us },
      }
    return body
  }
  const bodyOf = (one: Taking): Json => {
    const change = books.all.find(
      ({ type, source }) => type === 'payment' && source().payment_intent === one.id,
    )
    const charge = {
      id: `ch_${one.id}`,
      object: 'charge',
      balance_transaction: change && books.bodyOf(change),
    }
    const body: Partial<Omit<Stripe.PaymentIntent, 'latest_charge'>> & Json = {
      id: one.id,
      object: 'payment_intent',
      amount: one.amount,
      currency: 'usd',
      livemode,
      status: one.status,
      customer: one.customer.id,
      metadata: { bursar_id: one.reference },
      created: one.created,
      amount_received: one.status === 'succeeded' ? one.amount : 0,
      latest_charge: one.status === 'succeeded' ? charge : null,
    }
    return body
  }
  const confirm = (one: Taking): void => {
    if (one.status === 'succeeded')
      throw refused(400, 'payment_intent_unexpected_state', 'It has succeeded already')
    if (one.customer.balance < one.amount) return
    move(one.customer, -one.amount, 'applied_to_payment')
    one.status = 'succeeded'
    const source = () => ({
      id: `py_${one.id}`,
      object: 'charge',
      payment_intent: one.id,
      metadata: {},
    })
    books.add('payment', { amount: one.amount, fee: fee(one.amount), days: 1, source })
  }
  const check = (name: CashOperation, { form }: Call): void => {
    for (const key of form.keys())
      if (!known[name]?.test(key)) violations.push(`${name}: ${key} is not known`)
  }

  const run: Record<CashOperation, (call: Call) => Answer> = {
    create_customer(call) {
      check('create_customer', call)
      if (call.form.get('cash_balance[settings][reconciliation_mode]') !== 'manual')
        violations.push('create_customer: Stripe would pay with the cash balance by itself')
      const ours = call.form.get('metadata[bursar_customer]') ?? ''
      const name = call.form.get('name') ?? ''
      const made: Customer = {
        id: id('cus').replace('_live', ''),
        ours,
        name,
        balance: 0,
        number: String(++numbers),
      }
      customers.push(made)
      const body = {
        id: made.id,
        object: 'customer',
        livemode,
        metadata: { bursar_customer: ours },
      }
      return { status: 200, body, subject: ours }
    },
    funding_instructions(call) {
      check('funding_instructions', call)
      const { number, name } = customerOf(call.path.split('/')[3])
      if (!settings.enabled)
        throw refused(400, 'capability_not_active', 'us_bank_transfer_payments is not enabled')
      const aba = {
        account_number: number,
        routing_number: '021000021',
        bank_name: 'Citibank',
        account_type: 'checking',
        account_holder_name: name.toUpperCase(),
      }
      const financial_addresses = [
        { type: 'swift' },
        { type: 'aba', supported_networks: ['ach'], aba },
      ]
      const bank_transfer = { country: 'US', type: 'us_bank_transfer', financial_addresses }
      const funding = {
        object: 'funding_instructions',
        currency: 'usd',
        funding_type: 'bank_transfer',
      }
      return { status: 200, body: { ...funding, livemode, bank_transfer } }
    },
    get_movement({ path }) {
      const [, , , customer, , name] = path.split('/')
      const found = movements.find((one) => one.id === name && one.customer.id === customer)
      if (found === undefined)
        throw refused(404, 'resource_missing', 'No such cash balance transaction')
      return { status: 200, body: bodyOfMovement(found) }
    },
    list_payments({ query }) {
      const since = Number(query.get('created[gte]'))
      const rows = takings.filter(
        ({ customer, created }) => customer.id === query.get('customer') && created >= since,
      )
      const data = rows
        .toReversed()
        .map((one) => ({ ...bodyOf(one), latest_charge: `ch_${one.id}` }))
      return { status: 200, body: { object: 'list', data, has_more: false } }
    },
    create_payment(call) {
      check('create_payment', call)
      const { form } = call
      if (form.get('confirm') !== 'true') violations.push('create_payment: it is not confirmed')
      const customer = customerOf(form.get('customer') ?? undefined)
      const amount = Number(form.get('amount'))
      if (amount < leastTaken)
        throw refused(400, 'amount_too_small', 'Amount must be at least $0.50 usd')
      const made: Taking = {
        id: id('pi').replace('_live', ''),
        customer,
        amount,
        status: 'requires_action',
        created: seconds(),
        reference: form.get('metadata[bursar_id]') ?? '',
      }
      takings.push(made)
      confirm(made)
      return { status: 200, body: bodyOf(made), subject: made.reference }
    },
    confirm_payment(call) {
      check('confirm_payment', call)
      const found = takings.find(({ id: name }) => call.path.includes(`/${name}/`))
      if (found === undefined) throw refused(404, 'resource_missing', 'No such payment_intent')
      confirm(found)
      return { status: 200, body: bodyOf(found) }
    },
  }
  return {
    customers,
    movements,
    takings,
    settings,
    run,
    bodyOf,
    /**
     * Somebody sends money to a customer's account; Stripe tells of it. @returns the movement's id
     */
    send(number: string, amount: number, sender: string | null = 'ADA OKAFOR'): string {
      const customer = customers.find((one) => one.number === number)
      if (customer === undefined) throw new Error(`The double has no account ${number}.`)
      const made = move(customer, amount, 'funded', sender)
      emit('customer_cash_balance_transaction.created', made.id, bodyOfMovement(made))
      return made.id
    },
    /** Its bank takes back what came; nothing is told of it here. */
    takeBack: (customer: Customer, amount: number): void =>
      void move(customer, -amount, 'funding_reversed'),
    /** What cannot be so, as sentences. */
    audit: (): string[] => [
      ...customers
        .filter(({ balance }) => balance < 0)
        .map((one) => `${one.id} has ${one.balance}`),
      ...takings
        .filter(({ reference }, i) => takings.findIndex((one) => one.reference === reference) !== i)
        .map(({ reference }) => `${reference} has two payments`),
    ],
  }
}
