/** A server with a live account at a double of Monnify. */
import assert from 'node:assert/strict'
import { monnifyAt } from '../../src/rails/monnify/monnify.ts'
import { applies, type Double, type OperationName, startMonnify } from '../doubles/monnify.ts'
import { moreFaults } from '../doubles/paystack/faults.ts'
import {
  type Dollars,
  movingClock,
  nigerian,
  openDollars,
  providerTiming,
  slowMs,
} from './dollars.ts'
import type { MatrixTill, Part } from './dollars-matrix.ts'
import { railsEnv, testProvider } from './provider.ts'

export type Till = Dollars & {
  double: Double
  transfersOf(id: string): Double['transfers']
  /**
   * Fails unless the double complains of no request and its books are sound. Ours are verified when
   * the server stops.
   */
  assertSound(): Promise<void>
  stop(): Promise<void>
}

export const monnifyAccount = {
  provider: 'monnify',
  api_key: 'env:MONNIFY_KEY',
  secret_key: 'env:MONNIFY_SECRET',
  secret_key_previous: 'env:MONNIFY_SECRET_BEFORE',
  wallet: '8016472829',
}
export const monnifyEnv = ({ keys }: Double) => ({
  MONNIFY_KEY: keys.api,
  MONNIFY_SECRET: keys.secret,
  MONNIFY_SECRET_BEFORE: keys.previous,
})

/** @param account more of the account in `RAILS_FILE` */
export async function openTill({ account = {}, topUp = 100_000_000_00 } = {}): Promise<Till> {
  const clock = movingClock()
  const double = await startMonnify({ now: clock.now, slowMs })
  double.topUp(topUp)
  const accounts = {
    monnify: { ...monnifyAccount, ...account },
    // Where the money comes from: deposits are another adapter's.
    bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
  }
  const routes = { 'payout.ngn': ['monnify'], 'lookup.ngn': ['monnify'], 'account.ngn': ['bank'] }
  const env = { ...railsEnv({ live: { accounts, routes } }), ...monnifyEnv(double) }
  const reach = { host: double.url, ...providerTiming }
  const providers = [monnifyAt({ live: reach, test: reach }), testProvider().provider]
  const till = await openDollars(env, providers, clock, nigerian)
  double.events.url = `${till.server.url}/rails/monnify/live/webhook`
  return {
    ...till,
    double,
    transfersOf: (id) =>
      double.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`)),
    async assertSound() {
      assert.deepEqual(double.violations, [])
      assert.deepEqual(double.audit(), [])
    },
    async stop() {
      await till.server.stop()
      await double.stop()
    },
  }
}

/**
 * Transfers are asked for by their reference where an answer was lost. Monnify's answers say
 * nothing of their mode.
 */
export const monnifyPart: Part = {
  name: 'a payout by Monnify',
  operations: {
    login: null,
    validate: 'login',
    balance: 'validate',
    create_transfer: 'balance',
    summary: 'create_transfer',
  },
  send: 'create_transfer',
  look: 'summary',
  applies: (operation, fault) => applies(operation as OperationName, fault),
  more: moreFaults,
  reportedAs: { validate: 'GET /api/v1/disbursements/account/validate' },
  async open() {
    const till = await openTill()
    const { double } = till
    const seen: MatrixTill['double'] = {
      ...(double as unknown as MatrixTill['double']),
      async fault(operation, fault, options) {
        // Tokens last for an hour: so that somebody logs in.
        if (operation === 'login') double.tokens.clear()
        return double.fault(operation as OperationName, fault, options as object)
      },
    }
    return {
      ...till,
      double: seen,
      sent: (id) =>
        till.transfersOf(id).map(({ reference, status }) => ({
          reference,
          state:
            status === 'SUCCESS'
              ? 'paid'
              : status === 'PENDING' || status === 'IN_PROGRESS'
                ? 'open'
                : 'over',
        })),
      succeed: double.transfer.succeed,
      comeBack(reference) {
        double.transfer.succeed(reference)
        double.transfer.comeBack(reference)
      },
    }
  },
}
