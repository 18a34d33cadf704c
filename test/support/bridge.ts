/** A server with a live account at a double of Bridge. */
import assert from 'node:assert/strict'
import { bridgeAt } from '../../src/rails/bridge/bridge.ts'
import { applies, type Double, type OperationName, startBridge } from '../doubles/bridge.ts'
import { type Dollars, movingClock, openDollars, providerTiming, slowMs } from './dollars.ts'
import type { MatrixTill, Part } from './dollars-matrix.ts'
import { railsEnv, testProvider } from './provider.ts'

export type Till = Dollars & {
  double: Double
  transfersOf(id: string): Double['books']['transfers']
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
  const double = await startBridge({ now: clock.now, slowMs })
  double.books.topUp(topUp)
  const accounts = {
    bridge: {
      provider: 'bridge',
      api_key: 'env:BRIDGE_KEY',
      customer: 'cust_operator',
      wallet: 'bw_treasury',
      webhook_key: 'env:BRIDGE_PEM',
      webhook_key_previous: 'env:BRIDGE_PEM_BEFORE',
      ...account,
    },
    // Where the money comes from: deposits are another adapter's.
    bank: { provider: 'testpay', secret_key: 'env:LIVE_KEY_2' },
  }
  const env = {
    ...railsEnv({
      live: { accounts, routes: { 'payout.usd': ['bridge'], 'account.usd': ['bank'] } },
    }),
    BRIDGE_KEY: double.apiKey,
    BRIDGE_PEM: double.keys.live.publicKey,
    BRIDGE_PEM_BEFORE: double.keys.previous.publicKey,
  }
  const reach = { host: double.url, ...providerTiming }
  const dollars = await openDollars(
    env,
    [bridgeAt({ live: reach, test: reach }), testProvider().provider],
    clock,
  )
  double.events.url = `${dollars.server.url}/rails/bridge/live/webhook`
  return {
    ...dollars,
    double,
    transfersOf: (id) =>
      double.books.transfers.filter(({ reference }) => reference.startsWith(`po-${id}`)),
    async assertSound() {
      assert.deepEqual(double.violations, [])
      assert.deepEqual(double.books.audit(), [])
    },
    async stop() {
      await dollars.server.stop()
      await double.stop()
    },
  }
}

const states = { payment_processed: 'paid', funds_received: 'open' } as const

/** Transfers are listed where an answer was lost. Bridge's answers say nothing of their mode. */
export const bridgePart: Part = {
  name: 'a payout by Bridge',
  operations: {
    get_wallet: null,
    create_external_account: 'get_wallet',
    create_transfer: 'create_external_account',
    list_transfers: 'create_transfer',
    get_transfer: 'create_transfer',
  },
  send: 'create_transfer',
  look: 'list_transfers',
  applies: (operation, fault) =>
    fault !== 'other_mode' && applies(operation as OperationName, fault),
  reportedAs: { create_external_account: 'POST /customers/external_accounts' },
  async open() {
    const till = await openTill()
    const { transfer } = till.double
    return {
      ...till,
      double: till.double as unknown as MatrixTill['double'],
      sent: (id) =>
        till.transfersOf(id).map(({ reference, state }) => ({
          reference,
          state: states[state as keyof typeof states] ?? 'over',
        })),
      succeed: transfer.succeed,
      comeBack: transfer.comeBack,
    }
  },
}
