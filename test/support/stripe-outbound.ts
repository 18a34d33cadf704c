/** A server with a live account at a double of Stripe's Outbound Payments. */
import assert from 'node:assert/strict'
import { stripeAt } from '../../src/rails/stripe/stripe.ts'
import {
  applies,
  type Double,
  type OperationName,
  startStripeOutbound,
} from '../doubles/stripe-outbound.ts'
import { type Dollars, movingClock, openDollars, providerTiming, slowMs } from './dollars.ts'
import type { MatrixTill, Part } from './dollars-matrix.ts'
import { railsEnv, testProvider } from './provider.ts'

export type Till = Dollars & {
  double: Double
  paymentsOf(id: string): Double['payments']
  /**
   * Fails unless the double complains of no request and its books are sound. Ours are verified when
   * the server stops.
   */
  assertSound(): Promise<void>
  stop(): Promise<void>
}

/** @param account more of the account in `RAILS_FILE` */
export async function openTill({ account = {}, topUp = 1_000_000_00 } = {}): Promise<Till> {
  const clock = movingClock()
  const double = await startStripeOutbound({ now: clock.now, slowMs })
  double.topUp(topUp)
  const accounts = {
    stripe: {
      provider: 'stripe',
      secret_key: 'env:STRIPE_KEY',
      financial_account: 'fa_treasury',
      webhook_secret: 'env:STRIPE_WHSEC',
      webhook_secret_previous: 'env:STRIPE_WHSEC_BEFORE',
      ...account,
    },
    // Where the money comes from: deposits are another adapter's.
    bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
  }
  const env = {
    ...railsEnv({
      live: { accounts, routes: { 'payout.usd': ['stripe'], 'account.usd': ['bank'] } },
    }),
    STRIPE_KEY: double.secretKey,
    STRIPE_WHSEC: double.secrets.live,
    STRIPE_WHSEC_BEFORE: double.secrets.previous,
  }
  const dollars = await openDollars(
    env,
    [stripeAt({ host: double.url, ...providerTiming }), testProvider().provider],
    clock,
  )
  double.events.url = `${dollars.server.url}/rails/stripe/live/webhook`
  return {
    ...dollars,
    double,
    paymentsOf: (id) => double.payments.filter(({ reference }) => reference.startsWith(`po-${id}`)),
    async assertSound() {
      assert.deepEqual(double.violations, [])
      const gone = double.payments.filter(
        ({ status }) => status === 'processing' || status === 'posted',
      )
      assert.equal(
        double.funds.available,
        topUp - gone.reduce((sum, { amount }) => sum + amount.value, 0),
      )
    },
    async stop() {
      await dollars.server.stop()
      await double.stop()
    },
  }
}

const states = {
  processing: 'open',
  posted: 'paid',
  failed: 'over',
  canceled: 'over',
  returned: 'over',
} as const

/** Payments are listed where an answer was lost. */
export const stripePart: Part = {
  name: 'a payout by Stripe',
  operations: {
    get_funds: null,
    create_recipient: 'get_funds',
    setup_bank: 'create_recipient',
    create_payment: 'setup_bank',
    list_payments: 'create_payment',
    get_payment: 'create_payment',
  },
  send: 'create_payment',
  look: 'list_payments',
  applies: (operation, fault) => applies(operation as OperationName, fault),
  reportedAs: {
    get_funds: 'nothing',
    create_recipient: 'POST /v2/core/accounts',
    setup_bank: 'POST /v2/money_management/outbound_setup_intents',
  },
  async open() {
    const till = await openTill()
    const { payment } = till.double
    return {
      ...till,
      double: till.double as unknown as MatrixTill['double'],
      sent: (id) =>
        till.paymentsOf(id).map(({ reference, status }) => ({ reference, state: states[status] })),
      succeed: payment.post,
      comeBack(reference) {
        payment.comeBack(reference, 'payout_method_closed')
        till.double.events.emit(payment.of(reference))
      },
    }
  },
}
