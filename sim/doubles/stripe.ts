/**
 * Stripe: payouts in dollars out of one account, and what another takes in: cards on its page, and
 * what payers send to accounts of their own.
 */
import { type Fault, faults } from '../../test/doubles/paystack.ts'
import * as cards from '../../test/doubles/stripe-cards.ts'
import * as outbound from '../../test/doubles/stripe-outbound.ts'
import type { MovedClock } from '../clock.ts'
import { befallenOf, type CardPages, orderOf, type Placed, slowMs } from './placed.ts'

const paying = [
  ...(['get_funds', 'create_recipient', 'setup_bank', 'get_payment', 'list_payments'] as const),
  ...(['create_payment', 'create_payment', 'create_payment'] as const),
]
const ends: Record<string, 'paid' | 'back' | 'open'> = {
  posted: 'paid',
  returned: 'back',
  processing: 'open',
}

/** Payouts, out of a financial account. */
export async function openStripeOutbound({ now }: MovedClock) {
  const double = await outbound.startStripeOutbound({ now, slowMs })
  const { payment, payments, secrets } = double
  const topped = 10_000_000_00
  double.topUp(topped)
  const bankOf = ({ to }: (typeof payments)[number]): [string, string] => {
    const method = double.methods.get(to.payout_method ?? '')
    return [method?.bank_account?.routing_number ?? '', method?.number ?? '']
  }
  const placed: Placed = {
    account: {
      provider: 'stripe',
      secret_key: 'env:STRIPE_KEY',
      financial_account: double.funds.id,
      webhook_secret: 'env:STRIPE_WHSEC',
      webhook_secret_previous: 'env:STRIPE_WHSEC_BEFORE',
    },
    env: {
      STRIPE_KEY: double.secretKey,
      STRIPE_WHSEC: secrets.live,
      STRIPE_WHSEC_BEFORE: secrets.previous,
    },
    secrets: [double.secretKey, secrets.live, secrets.previous],
    reconciled: true,
    faults,
    fitting: (fault) => paying.filter((one) => outbound.applies(one, fault as Fault)),
    befall: (operation, fault) => double.fault(operation as outbound.OperationName, fault as Fault),
    befallen: () => befallenOf(double.requests),
    endSome(by, share) {
      for (const { reference, status } of payments) {
        if (status === 'posted' && share < 1 && by.happens(0.002))
          payment.comeBack(reference, 'payout_method_closed')
        if (status !== 'processing' || !by.happens(share)) continue
        const how = by.below(20)
        if (how === 0) payment.cancel(reference)
        else if (how === 1) payment.fail(reference, 'payout_method_declined')
        else if (how === 2) payment.comeBack(reference, 'payout_method_closed')
        else payment.post(reference)
      }
    },
    async notify(url) {
      double.events.url = `${url}/rails/stripe/live/webhook`
      await double.events.deliver()
    },
    arrive: double.arrive,
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () =>
      payments.map((one) => ({
        reference: one.reference,
        status: ends[one.status] ?? 'over',
        what: orderOf(one.amount.value as number, one.amount.currency as string, ...bankOf(one)),
      })),
    complaints() {
      const gone = payments.filter(({ status }) => status === 'processing' || status === 'posted')
      const left = topped - gone.reduce((sum, { amount }) => sum + (amount.value as number), 0)
      const differs =
        left === double.funds.available
          ? []
          : [`its funds are ${double.funds.available}, not ${left}`]
      return [...double.violations, ...differs]
    },
    stop: double.stop,
  }
  return { ...placed, place: double.url }
}

const taking = [
  ...([
    'create_session',
    'create_session',
    'create_session',
    'get_session',
    'get_session',
  ] as const),
  ...([
    'create_customer',
    'create_payment',
    'create_payment',
    'create_refund',
    'create_refund',
  ] as const),
]

/** Cards, and customers' accounts. */
export async function openStripeCards({ now }: MovedClock) {
  const double = await cards.startStripeCards({ now, slowMs })
  const { books, cash, payer, refund, refunds, secrets, sessions, settings } = double
  settings.refunds = 'pending'
  const referenceOf = (payment: string): string =>
    sessions.find((one) => one.payment?.id === payment)?.reference ?? `no session of ${payment}`
  const pages: CardPages = {
    currency: 'usd',
    referenceAt: ({ href }) =>
      sessions.find((one) => double.pageOf(one) === href)?.reference ?? null,
    isOpen: payer.isOpen,
    payer: {
      pay: (reference) => payer.pay(reference),
      decline: (reference) => payer.decline(reference, 'insufficient_funds'),
      leave: () => {},
      begin: payer.begin,
    },
    amountOf: (reference) => payer.of(reference).amount,
    isPaid: (reference) => payer.of(reference).payment?.status === 'succeeded',
    dispute: (reference, amount) =>
      void books.dispute(payer.of(reference).payment?.id as string, amount),
    charges: () =>
      sessions
        .filter(({ payment }) => payment?.status === 'succeeded')
        .map(({ reference, payment }) => ({ reference, amount: payment?.received as number })),
    refunds: () =>
      refunds.map(({ reference, payment, amount, status }) => ({
        reference,
        of: referenceOf(payment),
        amount,
        status: status === 'succeeded' ? 'made' : status === 'failed' ? 'failed' : 'open',
      })),
    disputes: () =>
      books.disputes.map(({ id, payment, amount, status }) => ({
        id,
        of: referenceOf(payment),
        amount,
        outcome: status === 'won' ? 'won' : status === 'lost' ? 'lost' : null,
      })),
  }
  const placed: Placed = {
    account: {
      provider: 'stripe',
      secret_key: 'env:STRIPE_US_KEY',
      webhook_secret: 'env:STRIPE_US_WHSEC',
      webhook_secret_previous: 'env:STRIPE_US_WHSEC_BEFORE',
    },
    env: {
      STRIPE_US_KEY: double.secretKey,
      STRIPE_US_WHSEC: secrets.live,
      STRIPE_US_WHSEC_BEFORE: secrets.previous,
    },
    secrets: [double.secretKey, secrets.live, secrets.previous],
    reconciled: true,
    faults,
    fitting: (fault) =>
      // Nobody pays on a page before the answer is there that leads to it.
      taking.filter(
        (one) => fault !== 'webhook_before_answer' && cards.applies(one, fault as Fault),
      ),
    befall: (operation, fault) => double.fault(operation as cards.OperationName, fault as Fault),
    befallen: () => befallenOf(double.requests),
    endSome(by, share) {
      for (const { reference, status } of refunds) {
        if (status === 'succeeded' && share < 1 && by.happens(0.005))
          refund.become(reference, 'failed')
        if (status === 'pending' && by.happens(share))
          refund.become(reference, by.happens(0.1) ? 'failed' : 'succeeded')
      }
      if (by.happens(0.02) && books.available() > 0) books.payOut()
      for (const { id, status } of books.disputes)
        if (status === 'needs_response' && by.happens(share / 4))
          books.endDispute(id, by.one(['won', 'lost']))
    },
    async notify(url) {
      double.events.url = `${url}/rails/stripe-us/live/webhook`
      await double.events.deliver()
    },
    arrive: double.arrive,
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () => [],
    complaints: () => [...double.violations, ...cash.audit()],
    stop: double.stop,
  }
  return { ...placed, pages, cash, place: double.url }
}
