/** Monnify: payouts and names of accounts in naira. */
import { applies, startMonnify } from '../../test/doubles/monnify.ts'
import { type Fault, faults, moreFaults } from '../../test/doubles/paystack/faults.ts'
import type { MovedClock } from '../clock.ts'
import { befallenOf, orderOf, type Placed, slowMs } from './placed.ts'

const operations = [
  ...([
    'login',
    'validate',
    'balance',
    'create_transfer',
    'create_transfer',
    'create_transfer',
    'summary',
  ] as const),
]
const ends: Record<string, 'paid' | 'back' | 'open'> = {
  SUCCESS: 'paid',
  REVERSED: 'back',
  PENDING: 'open',
}

export async function openMonnify({ now }: MovedClock) {
  const double = await startMonnify({ now, slowMs })
  const { keys } = double
  double.topUp(10_000_000_000_00)
  const placed: Placed = {
    account: {
      provider: 'monnify',
      api_key: 'env:MONNIFY_KEY',
      secret_key: 'env:MONNIFY_SECRET',
      secret_key_previous: 'env:MONNIFY_SECRET_BEFORE',
      wallet: '8016472829',
    },
    env: {
      MONNIFY_KEY: keys.api,
      MONNIFY_SECRET: keys.secret,
      MONNIFY_SECRET_BEFORE: keys.previous,
    },
    secrets: [keys.api, keys.secret, keys.previous],
    reconciled: true,
    faults: [...faults, ...moreFaults],
    fitting: (fault) => operations.filter((one) => applies(one, fault as Fault)),
    befall(operation, fault) {
      // Tokens last for an hour: so that somebody logs in.
      if (operation === 'login') double.tokens.clear()
      return double.fault(operation as (typeof operations)[number], fault as Fault)
    },
    befallen: () => befallenOf(double.requests),
    endSome(by, share) {
      for (const one of double.transfers) {
        if (one.status === 'SUCCESS' && share < 1 && by.happens(0.002))
          double.transfer.comeBack(one.reference)
        if (one.status !== 'PENDING' || !by.happens(share)) continue
        if (by.happens(0.1)) double.transfer.fail(one.reference)
        // The wallet was short: the payout goes out again, under another reference.
        else if (by.happens(0.05)) double.transfer.failForMoney(one.reference)
        else double.transfer.succeed(one.reference)
      }
    },
    async notify(url) {
      double.events.url = `${url}/rails/monnify/live/webhook`
      await double.events.deliver()
    },
    arrive: double.arrive,
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () =>
      double.transfers.map(({ reference, status, amount, bank, number }) => ({
        reference,
        status: ends[status] ?? 'over',
        what: orderOf(amount, 'ngn', bank, number),
      })),
    complaints: () => [...double.violations, ...double.audit()],
    stop: double.stop,
  }
  return { ...placed, place: double.url }
}
