/**
 * The part of the live day that is in dollars: naira become dollars, two payouts leave by two
 * providers, and one comes back.
 */
import type { Double as Bridge } from '../test/doubles/bridge.ts'
import type { Double as Stripe } from '../test/doubles/stripe-outbound.ts'
import type { Json } from './server.ts'

export type Hands = {
  get(path: string): Promise<Json>
  post(path: string, body?: unknown): Promise<Json>
  ended(path: string, open: string[]): Promise<Json>
  until<T>(what: string, look: () => Promise<T | null | undefined | false>): Promise<T>
  expect(right: unknown, what: string): asserts right
  title(text: string): void
  log(who: string, what: string): void
}

const dollars = (cents: number): string => `USD ${(cents / 100).toFixed(2)}`

const mills = {
  country: 'us',
  routing_number: '021000021',
  account_number: '44556677',
  account_type: 'checking',
  account_name: 'Cotton Mills Inc',
  holder_address: { line1: '12 Main Street', city: 'Austin', state: 'TX', postal_code: '78701' },
}

/** @throws {Stop} when it did not go as it should have */
export async function playDollars(stripe: Stripe, bridge: Bridge, hands: Hands): Promise<void> {
  const { get, post, ended, until, title, log } = hands
  const expect: Hands['expect'] = hands.expect
  title('Dollars, for naira')
  stripe.topUp(50_00)
  bridge.books.topUp(1_000_00)
  log('operator', `has ${dollars(50_00)} at Stripe, and ${dollars(1_000_00)} in tokens at Bridge`)
  const swap = { amount: 15_500_000, currency: 'ngn', destination_currency: 'usd' }
  const quote = await post('/conversions/quote', swap)
  const made = await post('/conversions', { quote: quote.id, reference: 'dollars' })
  log(
    'shop',
    `converts NGN 155,000.00 at ${made.rate} (${made.rate_source}): ${dollars(made.destination_amount)}`,
  )

  title('Two payouts in dollars, by two providers')
  const pay = async (reference: string, amount: number): Promise<string> => {
    const body = { reference, amount, currency: 'usd', method: 'bank_transfer', destination: mills }
    return (await post('/payouts', body)).id
  }
  const done = async (reference: string, by: string, amount: number): Promise<void> => {
    const payout = await ended(`/payouts/${reference}`, ['pending', 'processing'])
    expect(payout.status === 'completed', `the payout is ${payout.status}`)
    log('shop', `pays out ${dollars(amount)} for ${reference}, by ${by}: ${payout.status}`)
  }
  const first = `po-${await pay('cotton', 30_00)}`
  await until('Stripe has the payment', async () =>
    stripe.payments.some((one) => one.reference === first),
  )
  stripe.payment.post(first)
  await done('cotton', 'Stripe', 30_00)
  const second = `po-${await pay('buttons', 40_00)}`
  await until('Bridge has the transfer', async () =>
    bridge.books.transfers.some((one) => one.reference === second),
  )
  expect(!stripe.payments.some((one) => one.reference === second), 'both providers have the second')
  bridge.transfer.succeed(second)
  await done('buttons', 'Bridge, as Stripe holds too little', 40_00)

  title('A payout in dollars that comes back')
  stripe.payment.comeBack(first, 'payout_method_closed')
  const returned = await ended('/payouts/cotton', ['completed'])
  expect(returned.status === 'returned', `the payout is ${returned.status}`)
  const wallets = (await get('/wallets')) as unknown as Json[]
  const { available } = wallets.find(({ currency }) => currency === 'usd') as Json
  log(
    'Stripe',
    `says so by its webhook, and is asked: ${returned.status}; the wallet has ${dollars(available)}`,
  )
}
