/** Bridge: payouts in dollars. */
import { applies, startBridge } from '../../test/doubles/bridge.ts'
import { type Fault, faults } from '../../test/doubles/paystack.ts'
import type { MovedClock } from '../clock.ts'
import { befallenOf, orderOf, type Placed, slowMs } from './placed.ts'

const operations = [
  ...([
    'get_wallet',
    'create_external_account',
    'create_transfer',
    'create_transfer',
    'create_transfer',
  ] as const),
  'get_transfer' as const,
]
const ends: Record<string, 'paid' | 'back' | 'open'> = {
  payment_processed: 'paid',
  returned: 'back',
  refunded: 'back',
  funds_received: 'open',
}

export async function openBridge({ now }: MovedClock) {
  const double = await startBridge({ now, slowMs })
  const { books, keys } = double
  books.topUp(10_000_000_00)
  const placed: Placed = {
    account: {
      provider: 'bridge',
      api_key: 'env:BRIDGE_KEY',
      customer: books.customer.id,
      wallet: books.wallet.id,
      webhook_key: 'env:BRIDGE_PEM',
      webhook_key_previous: 'env:BRIDGE_PEM_BEFORE',
    },
    env: {
      BRIDGE_KEY: double.apiKey,
      BRIDGE_PEM: keys.live.publicKey,
      BRIDGE_PEM_BEFORE: keys.previous.publicKey,
    },
    secrets: [double.apiKey],
    reconciled: true,
    faults,
    fitting: (fault) => operations.filter((one) => applies(one, fault as Fault)),
    befall: (operation, fault) =>
      double.fault(operation as (typeof operations)[number], fault as Fault),
    befallen: () => befallenOf(double.requests),
    endSome(by, share) {
      for (const { state, reference } of books.transfers) {
        if (state === 'payment_processed' && share < 1 && by.happens(0.002))
          double.transfer.comeBack(reference)
        if (state !== 'funds_received' || !by.happens(share)) continue
        const how = by.below(20)
        if (how === 0) double.transfer.become(reference, 'canceled')
        else if (how === 1) double.transfer.comeBack(reference)
        else double.transfer.succeed(reference)
      }
    },
    async notify(url) {
      double.events.url = `${url}/rails/bridge/live/webhook`
      await double.events.deliver()
    },
    arrive: double.arrive,
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () =>
      books.transfers.map(({ reference, state, amount, account: { routing, number } }) => ({
        reference,
        status: ends[state] ?? 'over',
        what: orderOf(Number(amount) / 10_000, 'usd', routing, number),
      })),
    complaints: () => [...double.violations, ...books.audit()],
    stop: double.stop,
  }
  return { ...placed, place: double.url }
}
