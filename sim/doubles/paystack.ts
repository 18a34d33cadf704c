/** Paystack: payouts, names of accounts, cards and dedicated accounts in naira. */
import { applies, type Fault, faults, startPaystack } from '../../test/doubles/paystack.ts'
import type { MovedClock } from '../clock.ts'
import { befallenOf, type CardPages, idIn, orderOf, type Placed, slowMs } from './placed.ts'

const operations = [
  ...([
    'resolve',
    'balance',
    'create_recipient',
    'transfer',
    'transfer',
    'transfer',
    'verify_transfer',
  ] as const),
  ...([
    'initialize',
    'initialize',
    'verify_transaction',
    'refund',
    'refund',
    'fetch_refund',
    'fetch_dispute',
  ] as const),
]

/**
 * What of a fault is left out. Nobody pays on a page before the answer is there that leads to it;
 * and what came into an account its provider alone knows: an amount that it falsifies is booked,
 * and found once the books are compared.
 */
const never: Partial<Record<string, string>> = {
  webhook_before_answer: 'initialize',
  other_amount: 'verify_transaction',
}

const ends: Record<string, 'paid' | 'back' | 'open'> = {
  success: 'paid',
  reversed: 'back',
  pending: 'open',
}

export async function openPaystack({ now }: MovedClock) {
  const double = await startPaystack({ settings: { slowMs }, now, tls: true })
  const { live } = double
  const { books } = live
  live.operator.topUp(10_000_000_000_00)
  /** Refunds of ours that need the payer's bank account. */
  const attention = new Set<string>()
  const pages: CardPages = {
    currency: 'ngn',
    referenceAt({ origin, pathname }) {
      const found = books.transactions.find(({ accessCode }) => pathname === `/${accessCode}`)
      return origin === double.checkoutUrl && found ? found.reference : null
    },
    isOpen: (reference) => books.transaction(reference).paidAt === null,
    payer: {
      ...live.payer,
      decline: (reference) => live.payer.decline(reference, 'Insufficient Funds'),
    },
    amountOf: (reference) => books.transaction(reference).amount,
    isPaid: (reference) => books.transaction(reference).paidAt !== null,
    // The provider has settled before that, so that it takes it out of the balance, which has a
    // history.
    dispute(reference, amount) {
      live.operator.settle('balance')
      live.payer.dispute(reference, amount)
    },
    charges: () =>
      books.transactions
        .filter(({ channel, paidAt }) => channel !== 'dedicated_nuban' && paidAt !== null)
        .map(({ reference, requested }) => ({ reference, amount: requested })),
    refunds: () =>
      books.refunds.map(({ merchantNote, transaction, amount, status }) => ({
        reference: merchantNote,
        of: transaction.reference,
        amount,
        status: status === 'processed' ? 'made' : status === 'failed' ? 'failed' : 'open',
      })),
    disputes: () =>
      books.disputes.map(({ id, transaction, amount, outcome }) => ({
        id: String(id),
        of: transaction.reference,
        amount,
        outcome,
      })),
  }
  const placed: Placed = {
    account: { provider: 'paystack', secret_key: 'env:PAYSTACK_KEY' },
    env: { PAYSTACK_KEY: double.keys.live },
    secrets: [double.keys.live],
    reconciled: true,
    faults,
    fitting: (fault) =>
      operations.filter((one) => one !== never[fault] && applies(one, fault as Fault)),
    befall: (operation, fault) =>
      double.fault(operation as (typeof operations)[number], fault as Fault),
    befallen: () => befallenOf(double.requests),
    endSome(by, share) {
      for (const one of books.transfers) {
        if (one.status === 'success' && share < 1 && by.happens(0.002))
          live.transfer.reverse(one.reference)
        if (one.status !== 'pending' || !by.happens(share)) continue
        if (by.happens(0.1)) live.transfer.fail(one.reference)
        else live.transfer.succeed(one.reference)
      }
      for (const one of books.refunds) {
        if (
          !['pending', 'processing', 'needs-attention'].includes(one.status) ||
          !by.happens(share)
        )
          continue
        const how = by.below(10)
        if (one.status === 'needs-attention') live.refund.begin(one.id)
        else if (how === 0) live.refund.fail(one.id)
        else if (how === 1) {
          live.refund.needAttention(one.id)
          attention.add(idIn(one.merchantNote))
        } else live.refund.process(one.id)
      }
      for (const one of books.disputes)
        if (one.outcome === null && by.happens(share / 4))
          live.payer.endDispute(one.id, by.one(['won', 'lost']))
    },
    async notify(url, again) {
      live.events.url = `${url}/rails/paystack/live/webhook`
      await live.events.deliver()
      if (again) await live.events.retry()
    },
    arrive: double.arrive,
    connect: double.connect,
    clearFaults: double.clearFaults,
    orders: () =>
      books.transfers.map(({ reference, status, amount, recipient: { bank, account } }) => ({
        reference,
        status: ends[status] ?? 'over',
        what: orderOf(amount, 'ngn', bank.code, account),
      })),
    complaints: () => [...double.violations, ...double.audit()],
    stop: double.stop,
  }
  const pagesHost = new URL(double.checkoutUrl).host
  return {
    ...placed,
    pages,
    attention,
    live,
    place: { host: double.url, pagesHost, ca: double.ca as string },
  }
}
