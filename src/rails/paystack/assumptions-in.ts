/** Assumptions of money that comes: payments, refunds, accounts and customers. */
import { randomBytes } from 'node:crypto'
import { later } from '../../lib/clock.ts'
import { found, lookUntil, notReachable, whenRefused } from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import type { Assumption, CheckParts } from '../ports/assumptions.ts'
import { type Asking, answered } from './assumptions-asking.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'
import * as unconfirmed from './unconfirmed.ts'

/** What Paystack publishes for test keys. */
const person = {
  bank_code: '007',
  account_number: '0111111111',
  bvn: '22222222222',
  first: 'Uchenna',
  last: 'Okoro',
}

const paid = 50_000n
const small = 10_000n
const payWithinMs = 300_000
const identifiedWithinMs = 30_000
const ledgerWithinMs = 20_000

const noFeature = 'this account has no dedicated accounts'

const newEmail = (): string => `check-${randomBytes(6).toString('hex')}@example.com`
const newReference = (): string => `tr-${randomBytes(12).toString('hex')}`

/** @param host of Paystack's pages; null where it is somewhere else, so that its pages are too */
export function assumptionsIn(
  { ask, clock }: Asking,
  host: string | null,
  parts: CheckParts,
): Assumption[] {
  const { pay } = parts
  // What a step learns, for those after it.
  let url: string | null = null
  let transaction: Record<string, unknown> | null = null
  let customer: string | null = null
  let account: string | null = null
  let identified: true | null = null
  let hasAccounts = true
  const page = newReference()
  // Two of them: whoever has paid is a customer there already, without a name.
  const [email, customerEmail] = [newEmail(), newEmail()]

  const dayFrom = (days: number): string =>
    later(clock.now(), days * 86_400_000)
      .toISOString()
      .slice(0, 10)
  const verified = (named: string) =>
    ask('GET', '/transaction/verify/{reference}', { params: { reference: named } })

  const initialized = () =>
    ask('POST', '/transaction/initialize', {
      body: {
        email,
        amount: Number(paid),
        currency: 'NGN',
        reference: page,
        channels: ['card'],
        callback_url: 'https://example.com/back',
        metadata: { cancel_action: 'https://example.com/' },
      },
    })

  const identify = (code: string) => {
    const { first, last, ...given } = person
    const body = {
      country: 'NG',
      type: 'bank_account',
      first_name: first,
      last_name: last,
      ...given,
    }
    return ask('POST', '/customer/{code}/identification', { params: { code }, body })
  }

  return [
    {
      id: 'page',
      source: 'pages of Paystack, 2026',
      asked: 'payment on the page',
      assumed: 'an authorization_url on checkout.paystack.com',
      look: async () =>
        answered(await initialized(), (data) => {
          url = textOf(data.authorization_url)
          return {
            saw: url === null ? 'none' : new URL(url).host,
            fits: url !== null && (host === null || new URL(url).host === host),
          }
        }),
    },
    {
      id: 'duplicate_transaction',
      source: 'OpenAPI document of Paystack',
      asked: 'the same payment again',
      assumed: "a refusal, 'duplicate transaction reference'",
      look: async () => whenRefused(await initialized(), refusals.isDuplicateTransaction),
    },
    {
      id: 'unpaid_transaction',
      source: 'airbytehq/airbyte, test accounts 2023-24',
      asked: 'verify of a payment that nobody has made',
      assumed: 'abandoned, ongoing or pending',
      look: async () =>
        answered(await verified(page), (data) => {
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
      look: async () => whenRefused(await verified(newReference()), refusals.isUnknownTransaction),
    },
    {
      id: 'paid_transaction',
      source: 'airbytehq/airbyte, test accounts 2023-24',
      asked: 'verify of a payment that a person has made with a test card',
      assumed: 'success, the amount as requested_amount, fees, channel card',
      look: async () => {
        if (pay === null || url === null)
          return notReachable('nobody pays: run it without --no-pay')
        await pay({ url, to: null, amount: paid })
        transaction = await lookUntil(parts, payWithinMs, async () => {
          const answer = await verified(page)
          const data = answer.is === 'answered' ? asObject(answer.data) : null
          return data?.status === 'success' ? data : null
        })
        if (transaction === null) return notReachable('it was not paid in time')
        const { requested_amount, amount, fees, channel } = transaction
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        const lists = async (from: string, to: string) => {
          const answer = await ask('GET', '/transaction', { query: { from, to, perPage: '100' } })
          const rows =
            answer.is === 'answered' && Array.isArray(answer.data)
              ? answer.data.map(asObject)
              : null
          return rows === null ? null : rows.some((row) => row?.reference === page)
        }
        const now = clock.now().getTime()
        const quarter = await lists(
          new Date(now - 900_000).toISOString(),
          new Date(now + 60_000).toISOString(),
        )
        const days = await lists(dayFrom(-1), dayFrom(1))
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        const body = {
          transaction: String(transaction.id),
          amount: Number(small),
          currency: 'NGN',
          merchant_note: `bursar ${page}`,
        }
        return answered(await ask('POST', '/refund', { body }), (data) => {
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        const asked = await ask('GET', '/refund', {
          query: { transaction: String(transaction.id) },
        })
        return answered(asked, (_, all) => {
          const refunds = Array.isArray(all) ? all.map(asObject) : []
          const ours = refunds.filter((one) => one?.merchant_note === `bursar ${page}`)
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        return answered(await verified(page), ({ status }) => ({
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        const body = {
          transaction: String(transaction.id),
          amount: Number(paid) * 2,
          currency: 'NGN',
        }
        return whenRefused(
          await ask('POST', '/refund', { body }),
          means(refusals.refundRefusals, 'rejected'),
        )
      },
    },
    {
      id: 'refund_of_nothing',
      source: 'nanafox/paystack_sdk, test API 2026-10',
      asked: 'refund of a payment that was never made',
      assumed: "400, code 'transaction_not_found'",
      look: async () => {
        const body = { transaction: newReference(), amount: Number(small), currency: 'NGN' }
        return whenRefused(
          await ask('POST', '/refund', { body }),
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
      look: async () => {
        if (transaction === null) return notReachable('no payment was made')
        const listed = async (from: string) => {
          const query = { from, to: dayFrom(1), perPage: '100' }
          const answer = await ask('GET', '/balance/ledger', { query })
          const rows =
            answer.is === 'answered' && Array.isArray(answer.data)
              ? answer.data.map(asObject)
              : null
          return rows?.filter((row) => row?.difference === -Number(small)) ?? null
        }
        const row = await lookUntil(
          parts,
          ledgerWithinMs,
          async () => (await listed(dayFrom(-1)))?.[0] ?? null,
        )
        if (row === null) return notReachable('it lists no such change yet')
        const today = ((await listed(dayFrom(0))) ?? []).length > 0
        const { model_responsible: model, model_row } = row
        const saw = `model ${String(model)}, model_row ${wholeOf(model_row) === 1n ? '1' : 'a number of its own'}`
        return {
          saw: `${saw}; ${today ? 'listed' : 'not listed'} from this day on`,
          fits: /^refund$/i.test(String(model)),
        }
      },
    },
    {
      id: 'feature_off',
      source: 'nanafox/paystack_sdk, test API 2026-10: on every call about dedicated accounts',
      asked: 'GET /dedicated_account, by an account without that feature',
      assumed: "403, code 'feature_unavailable'",
      look: async () => {
        const answer = await ask('GET', '/dedicated_account')
        hasAccounts = answer.is !== 'refused' || !refusals.isFeatureOff(answer)
        return answer.is === 'answered'
          ? notReachable('this account has dedicated accounts')
          : whenRefused(answer, refusals.isFeatureOff)
      },
    },
    {
      id: 'one_time_account',
      source: 'nanafox/paystack_sdk, test API 2026-10; [U] the bounds of its end',
      asked: 'one-time account',
      assumed: 'an account number, a bank, and an end',
      look: async () => {
        const wanted = new Date(clock.now().getTime() + 30 * 60_000)
        const bank_transfer = { account_expires_at: wanted.toISOString() }
        const body = {
          email,
          amount: Number(paid),
          currency: 'NGN',
          reference: newReference(),
          bank_transfer,
        }
        return answered(await ask('POST', '/charge', { body }), (data) => {
          const [number, end] = [
            textOf(data.account_number),
            Date.parse(textOf(data.account_expires_at) ?? ''),
          ]
          if (number === null || Number.isNaN(end))
            return { saw: `${textOf(data.status)}: ${number ?? 'no number'}`, fits: false }
          const off = Math.round((end - wanted.getTime()) / 1_000)
          return {
            saw: `a number that ends ${off} s after the time that was asked for`,
            fits: asObject(data.bank)?.id !== undefined,
          }
        })
      },
    },
    {
      id: 'customer_again',
      source: '[U]',
      asked: 'customer, twice with one address',
      assumed: 'the same customer_code twice',
      look: async () => {
        const { first, last } = person
        const body = {
          email: customerEmail,
          first_name: first,
          last_name: last,
          phone: '+2348012345678',
        }
        const [one, two] = [
          await ask('POST', '/customer', { body }),
          await ask('POST', '/customer', { body }),
        ]
        if (one.is !== 'answered') return answered(one, () => found(null))
        if (two.is !== 'answered') return answered(two, () => found(null))
        customer = textOf(asObject(one.data)?.customer_code)
        const again = textOf(asObject(two.data)?.customer_code)
        return {
          saw: customer === again ? 'the same one twice' : 'another one',
          fits: customer !== null && customer === again,
        }
      },
    },
    {
      id: 'unknown_customer',
      source: 'nanafox/paystack_sdk, test API 2026-10',
      asked: 'a customer that is none',
      assumed: "a refusal, 'customer not found'",
      look: async () => {
        const params = { code: 'CUS_000000000000000' }
        return whenRefused(
          await ask('GET', '/customer/{code}', { params }),
          refusals.isUnknownCustomer,
        )
      },
    },
    {
      id: 'dedicated_banks',
      source: 'pages of Paystack, 2026',
      asked: 'banks of dedicated accounts',
      assumed: 'one at least, with its provider_slug',
      look: async () => {
        if (!hasAccounts) return notReachable(noFeature)
        return answered(await ask('GET', '/dedicated_account/available_providers'), (_, all) => {
          const slugs = (Array.isArray(all) ? all : []).flatMap(
            (one) => textOf(asObject(one)?.provider_slug) ?? [],
          )
          return found(slugs.length > 0 ? slugs.join(', ') : null)
        })
      },
    },
    {
      id: 'dedicated_account',
      source: 'darthrighteous/paystack-gateway, 2024-11',
      asked: 'dedicated account',
      assumed: 'an account number',
      look: async () => {
        if (!hasAccounts) return notReachable(noFeature)
        if (customer === null) return notReachable('no customer')
        return answered(
          await ask('POST', '/dedicated_account', {
            body: { customer, preferred_bank: 'test-bank' },
          }),
          (data) => {
            account = textOf(data.account_number)
            return found(account && 'a number', 'none yet: it is said by a webhook')
          },
        )
      },
    },
    {
      id: 'unknown_dedicated_account',
      source: '[U]',
      asked: 'a dedicated account that is none',
      assumed: 'a refusal that says so',
      look: async () => {
        if (!hasAccounts) return notReachable(noFeature)
        const params = { id: '1' }
        return whenRefused(
          await ask('GET', '/dedicated_account/{id}', { params }),
          unconfirmed.isUnknownAccountId,
        )
      },
    },
    {
      id: 'second_dedicated_account',
      source: '[U]',
      asked: 'a second one of that customer',
      assumed: 'the first one again, or a refusal',
      look: async () => {
        if (customer === null || account === null) return notReachable('no first one')
        const answer = await ask('POST', '/dedicated_account', {
          body: { customer, preferred_bank: 'test-bank' },
        })
        if (answer.is !== 'answered') return whenRefused(answer, () => true)
        const number = textOf(asObject(answer.data)?.account_number)
        return {
          saw: number === account ? 'the first one' : 'another one',
          fits: number === account,
        }
      },
    },
    {
      id: 'identification',
      source:
        'nanafox/paystack_sdk, test API 2026-10: 202; [U] that the published bvn is identified',
      asked: 'identification by bvn and bank account',
      assumed: 'in progress, and identified within half a minute',
      look: async () => {
        if (customer === null) return notReachable('no customer')
        const params = { code: customer }
        const answer = await identify(customer)
        if (answer.is !== 'answered') return answered(answer, () => found(null))
        identified = await lookUntil(parts, identifiedWithinMs, async () => {
          const now = await ask('GET', '/customer/{code}', { params })
          return now.is === 'answered' && asObject(now.data)?.identified === true ? true : null
        })
        return identified
          ? { saw: 'identified', fits: true }
          : notReachable('in progress, and not identified in time')
      },
    },
    {
      id: 'identified_again',
      source: '[U]',
      asked: 'the same identification again',
      assumed: "a refusal, 'already validated'",
      look: async () =>
        customer !== null && identified
          ? whenRefused(await identify(customer), unconfirmed.isIdentified)
          : notReachable('not identified'),
    },
  ]
}
