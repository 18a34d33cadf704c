/**
 * Live payments by card, in naira and in dollars: payers go to the provider's own page, do there
 * what payers do, and come back or do not. The business refunds some of what was paid, and payers'
 * banks take some of it back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from './client.ts'
import type { CardPages } from './doubles/placed.ts'
import { expectRefund, touched } from './model.ts'
import type { Operation } from './money.ts'
import { type Browser, open, send } from './pages.ts'
import { expectPaying } from './payers.ts'
import type { Doubles } from './providers.ts'
import type { Json } from './requests.ts'

/** What is asked for: in dollars, between five and five hundred. */
const amounts = { ngn: [10_000, 5_000_000], usd: [500, 50_000] } as const

export function liveCards({ pages }: Doubles): Operation[] {
  const places = Object.values(pages)
  const pagesOf = ({ currency }: Json): CardPages => pages[currency as string] as CardPages
  /** What the double has of each payment, the latest. */
  const started = new Map<string, string>()
  const disputed = new Set<string>()

  /**
   * A payer's way to the provider's page, from the payment's. @returns the provider's reference;
   * null where nothing leads there
   */
  async function leave(
    client: Client,
    browser: Browser,
    path: string,
    there: CardPages,
  ): Promise<string | null> {
    const { by, tally } = client
    const page = await open(client, browser, `${path}?method=card`)
    const form = page.forms.find(({ name }) => name === 'leave')
    if (form) {
      const clicks = by.happens(0.15) ? 2 : 1
      if (clicks > 1) tally.fault('payer: double click')
      await Promise.all(Array.from({ length: clicks }, () => send(client, browser, page, form, {})))
    }
    // Whoever has no answer opens what it leads to.
    const { onward } = await open(client, browser, `${path}/leave`)
    if (onward === null) return null
    const reference = there.referenceAt(new URL(onward))
    if (reference === null) tally.finding('page', `${path}/leave leads to ${onward}`)
    return reference
  }

  /** What is done at the provider's page. */
  async function act(
    { by }: Client,
    reference: string,
    { isOpen, payer }: CardPages,
  ): Promise<void> {
    await sleep(by.below(500))
    const how = by.one([
      'pay',
      'pay',
      'pay',
      'pay',
      'later',
      'decline',
      'leave',
      'nothing',
    ] as const)
    if (!isOpen(reference) || how === 'nothing') return
    if (how === 'decline') payer.decline(reference)
    if (how === 'leave') payer.leave(reference)
    if (how === 'later') payer.begin(reference)
    if (how === 'later') await sleep(by.below(2_000))
    if ((how === 'pay' || how === 'later' || by.happens(0.5)) && isOpen(reference))
      payer.pay(reference)
  }

  async function pay(client: Client): Promise<void> {
    const { by, model, tally } = client
    const there = by.one(places)
    const { currency } = there
    const [least, more] = amounts[currency]
    const operation =
      currency === 'ngn' ? 'createPayment (live)' : 'createPayment (live, in dollars)'
    const made = await client.write(operation, 'POST', '/payments', {
      reference: client.name('card'),
      amount: least + by.below(more),
      currency,
      methods: ['card'],
      email: 'ada@example.com',
      fee_bearer: by.one(['business', 'customer']),
      on_mismatch: by.one(['accept', 'reverse']),
    })
    if (!made) return
    const { id, path } = expectPaying(model, made.data)
    const browser: Browser = { cookie: '' }
    for (let tries = 1 + by.below(3); tries > 0; tries--) {
      const reference = await leave(client, browser, path, there)
      if (reference === null) return
      started.set(id, reference)
      await act(client, reference, there)
      if (by.happens(0.2)) return
      const page = await open(client, browser, `${path}/back?reference=${reference}`)
      tally.operation(
        currency === 'ngn'
          ? 'pay by card at the provider'
          : 'pay by card in dollars at the provider',
      )
      if (page.status !== 'pending') return
    }
  }

  const paid = async ({ by, get }: Client): Promise<Json | null> => {
    const { data } = await get('/payments?status=completed&limit=30')
    return data.docs.length > 0 ? by.one<Json>(data.docs) : null
  }

  async function refund(client: Client): Promise<void> {
    const { by, model } = client
    const payment = await paid(client)
    if (payment === null) return
    const body = {
      payment: payment.id,
      reference: client.name('back'),
      ...(by.happens(0.4) ? {} : { amount: 1 + by.below(payment.amount) }),
    }
    const codes = [
      'insufficient_funds',
      'refund_too_large',
      'refund_in_progress',
      'payment_not_refundable',
    ]
    const made = await client.write('createRefund (live)', 'POST', '/refunds', body, codes)
    if (!made) return
    expectRefund(model, made.data)
    touched(model, made.data.id).ends.add('failed')
  }

  /** The payer's bank takes money back. */
  async function dispute(client: Client): Promise<void> {
    const payment = await paid(client)
    const reference = payment && started.get(payment.id)
    if (!reference || disputed.has(reference)) return
    const there = pagesOf(payment)
    if (!there.isPaid(reference)) return
    disputed.add(reference)
    there.dispute(reference, 1 + client.by.below(there.amountOf(reference)))
    client.tally.operation('dispute at the provider')
  }

  return [
    { weight: 10, run: pay },
    { weight: 4, run: refund },
    { weight: 1, run: dispute },
  ]
}
