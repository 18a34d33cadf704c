/** Assumptions about payments on Paystack's page and their refunds. */
import { later } from '../../lib/clock.ts'
import {
  checkedWith,
  lookUntil,
  notReachable,
  type ProbeRow,
  whenRefused,
} from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import type { Assumption, CheckParts } from '../ports/assumptions.ts'
import { type Asking, answered, newEmail, newReference } from './assumptions-asking.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'

const paid = 50_000n
const small = 10_000n
const payWithinMs = 300_000
const ledgerWithinMs = 20_000

/** The requests of a check, and results of earlier steps. */
class Probe {
  readonly ask: Asking['ask']
  readonly clock: Asking['clock']
  readonly host: string | null
  readonly parts: CheckParts
  url: string | null = null
  transaction: Record<string, unknown> | null = null
  readonly page = newReference()
  readonly email = newEmail()

  constructor({ ask, clock }: Asking, host: string | null, parts: CheckParts) {
    this.ask = ask
    this.clock = clock
    this.host = host
    this.parts = parts
  }

  dayFrom(days: number): string {
    return later(this.clock.now(), days * 86_400_000)
      .toISOString()
      .slice(0, 10)
  }

  verified(reference: string) {
    return this.ask('GET', '/transaction/verify/{reference}', { params: { reference } })
  }

  initialized() {
    return this.ask('POST', '/transaction/initialize', {
      body: {
        email: this.email,
        amount: Number(paid),
        currency: 'NGN',
        reference: this.page,
        channels: ['card'],
        callback_url: 'https://example.com/back',
        metadata: { cancel_action: 'https://example.com/' },
      },
    })
  }
}

/** @param host of Paystack's pages; null with another server in place of Paystack */
export const assumptionsIn = (
  asking: Asking,
  host: string | null,
  parts: CheckParts,
): Assumption[] => checkedWith(new Probe(asking, host, parts), rows)

const rows: ProbeRow<Probe>[] = [
  {
    id: 'page',
    source: 'pages of Paystack, 2026',
    asked: 'payment on the page',
    assumed: 'an authorization_url on checkout.paystack.com',
    look: async (probe) =>
      answered(await probe.initialized(), (data) => {
        probe.url = textOf(data.authorization_url)
        return {
          saw: probe.url === null ? 'none' : new URL(probe.url).host,
          fits:
            probe.url !== null && (probe.host === null || new URL(probe.url).host === probe.host),
        }
      }),
  },
  {
    id: 'duplicate_transaction',
    source: 'OpenAPI document of Paystack',
    asked: 'the same payment again',
    assumed: "a refusal, 'duplicate transaction reference'",
    look: async (probe) => whenRefused(await probe.initialized(), refusals.isDuplicateTransaction),
  },
  {
    id: 'unpaid_transaction',
    source: 'airbytehq/airbyte, test accounts 2023-24',
    asked: 'verify of an unpaid payment',
    assumed: 'abandoned, ongoing or pending',
    look: async (probe) =>
      answered(await probe.verified(probe.page), (data) => {
        const status = textOf(data.status) ?? 'no status'
        return {
          saw: status,
          fits: ['abandoned', 'ongoing', 'pending', 'processing', 'queued'].includes(status),
        }
      }),
  },
  {
    id: 'unknown_transaction',
    source: 'public clients: 404 and 400',
    asked: 'verify of a payment that was never asked for',
    assumed: "a refusal with 400 or 404, 'reference not found'",
    look: async (probe) =>
      whenRefused(await probe.verified(newReference()), refusals.isUnknownTransaction),
  },
  {
    id: 'paid_transaction',
    source: 'airbytehq/airbyte, test accounts 2023-24',
    asked: 'verify of a payment that a person has made with a test card',
    assumed: 'success, the amount as requested_amount, fees, channel card',
    look: async (probe) => {
      const { url, parts } = probe
      if (parts.pay === null || url === null)
        return notReachable('no payment is made: run it without --no-pay')
      await parts.pay({ url, to: null, amount: paid })
      probe.transaction = await lookUntil(parts, payWithinMs, async () => {
        const answer = await probe.verified(probe.page)
        const data = answer.is === 'answered' ? asObject(answer.data) : null
        return data?.status === 'success' ? data : null
      })
      if (probe.transaction === null) return notReachable('it was not paid in time')
      const { requested_amount, amount, fees, channel } = probe.transaction
      const saw = `requested_amount ${requested_amount}, amount ${amount}, fees ${fees}, channel ${channel}`
      return {
        saw,
        fits: requested_amount === Number(paid) && wholeOf(fees) !== null && channel === 'card',
      }
    },
  },
  {
    id: 'transaction_window',
    source: '[U] whether `from` and `to` are days or moments',
    asked: 'GET /transaction?from=&to= with that payment inside',
    assumed: 'it is listed from the day before to the day after',
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      const lists = async (from: string, to: string) => {
        const answer = await probe.ask('GET', '/transaction', {
          query: { from, to, perPage: '100' },
        })
        const rows =
          answer.is === 'answered' && Array.isArray(answer.data) ? answer.data.map(asObject) : null
        return rows === null ? null : rows.some((row) => row?.reference === probe.page)
      }
      const now = probe.clock.now().getTime()
      const quarter = await lists(
        new Date(now - 900_000).toISOString(),
        new Date(now + 60_000).toISOString(),
      )
      const days = await lists(probe.dayFrom(-1), probe.dayFrom(1))
      if (days === null || quarter === null) return notReachable('it is not answered')
      const moments = `the last quarter of an hour ${quarter ? 'lists it: moments' : 'does not list it: days'}`
      return { saw: days ? moments : 'not listed', fits: days }
    },
  },
  {
    id: 'partial_refund',
    source: 'nanafox/paystack_sdk, test API 2026-10',
    asked: 'refund of a part of it',
    assumed: 'pending, processing or processed',
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      const body = {
        transaction: String(probe.transaction.id),
        amount: Number(small),
        currency: 'NGN',
        merchant_note: `bursar ${probe.page}`,
      }
      return answered(await probe.ask('POST', '/refund', { body }), (data) => {
        const status = textOf(data.status) ?? 'no status'
        return { saw: status, fits: ['pending', 'processing', 'processed'].includes(status) }
      })
    },
  },
  {
    id: 'refund_list',
    source:
      'nanafox/paystack_sdk, test API 2026-10: by the number alone, with the note as it was sent',
    asked: 'refunds of that payment',
    assumed: 'one, with the merchant_note as it was sent',
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      const asked = await probe.ask('GET', '/refund', {
        query: { transaction: String(probe.transaction.id) },
      })
      return answered(asked, (_, all) => {
        const refunds = Array.isArray(all) ? all.map(asObject) : []
        const ours = refunds.filter((one) => one?.merchant_note === `bursar ${probe.page}`)
        return {
          saw: `${refunds.length} listed, ${ours.length} with the note`,
          fits: refunds.length === 1 && ours.length === 1,
        }
      })
    },
  },
  {
    id: 'refunded_transaction',
    source: 'airbytehq/airbyte, test accounts 2023-24: one is listed as reversed',
    asked: 'verify of the payment after that refund',
    assumed: 'success or reversed: how much went back only the refunds say',
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      return answered(await probe.verified(probe.page), ({ status }) => ({
        saw: textOf(status) ?? 'no status',
        fits: status === 'success' || status === 'reversed',
      }))
    },
  },
  {
    id: 'refund_too_large',
    source: 'nanafox/paystack_sdk, test API 2026-10',
    asked: 'refund of more than was paid',
    assumed: "400, code 'refund_amount_exceeds_transaction_amount'",
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      const body = {
        transaction: String(probe.transaction.id),
        amount: Number(paid) * 2,
        currency: 'NGN',
      }
      return whenRefused(
        await probe.ask('POST', '/refund', { body }),
        means(refusals.refundRefusals, 'rejected'),
      )
    },
  },
  {
    id: 'refund_of_nothing',
    source: 'nanafox/paystack_sdk, test API 2026-10',
    asked: 'refund of a payment that was never made',
    assumed: "400, code 'transaction_not_found'",
    look: async (probe) => {
      const body = { transaction: newReference(), amount: Number(small), currency: 'NGN' }
      return whenRefused(
        await probe.ask('POST', '/refund', { body }),
        means(refusals.refundRefusals, 'rejected'),
      )
    },
  },
  {
    id: 'ledger_refund',
    source:
      'nanafox/paystack_sdk, test API 2026-10: `from` is a day, left out itself; rows of refunds name 1 as their model_row',
    asked: 'GET /balance/ledger?from=&to= of the day before and of this day, after that refund',
    assumed: 'a row of model Refund that takes the amount away',
    look: async (probe) => {
      if (probe.transaction === null) return notReachable('no payment was made')
      const listed = async (from: string) => {
        const query = { from, to: probe.dayFrom(1), perPage: '100' }
        const answer = await probe.ask('GET', '/balance/ledger', { query })
        const rows =
          answer.is === 'answered' && Array.isArray(answer.data) ? answer.data.map(asObject) : null
        return rows?.filter((row) => row?.difference === -Number(small)) ?? null
      }
      const row = await lookUntil(
        probe.parts,
        ledgerWithinMs,
        async () => (await listed(probe.dayFrom(-1)))?.[0] ?? null,
      )
      if (row === null) return notReachable('it lists no such change yet')
      const today = ((await listed(probe.dayFrom(0))) ?? []).length > 0
      const { model_responsible: model, model_row } = row
      const saw = `model ${String(model)}, model_row ${wholeOf(model_row) === 1n ? '1' : 'a number of its own'}`
      return {
        saw: `${saw}; ${today ? 'listed' : 'not listed'} from this day on`,
        fits: /^refund$/i.test(String(model)),
      }
    },
  },
]
