/** Assumptions about deposit accounts and their customers. */
import {
  checkedWith,
  found,
  lookUntil,
  notReachable,
  type ProbeRow,
  whenRefused,
} from '../http/findings.ts'
import type { Assumption, CheckParts } from '../ports/assumptions.ts'
import { type Asking, answered, newEmail, newReference } from './assumptions-asking.ts'
import { asObject, textOf } from './client.ts'
import * as refusals from './refusals.ts'
import * as unconfirmed from './unconfirmed.ts'

/** Paystack's published test person. */
const person = {
  bank_code: '007',
  account_number: '0111111111',
  bvn: '22222222222',
  first: 'Uchenna',
  last: 'Okoro',
}

const amount = 50_000n
const identifiedWithinMs = 30_000
const noFeature = 'this account has no dedicated accounts'

/** The requests of a check, and results of earlier steps. */
class Probe {
  readonly ask: Asking['ask']
  readonly clock: Asking['clock']
  readonly parts: CheckParts
  customer: string | null = null
  account: string | null = null
  identified: true | null = null
  hasAccounts = true
  readonly email = newEmail()
  /**
   * Paying creates a customer without a name, so the customer with a name needs another address.
   */
  readonly payerEmail = newEmail()

  constructor({ ask, clock }: Asking, parts: CheckParts) {
    this.ask = ask
    this.clock = clock
    this.parts = parts
  }

  identify(code: string) {
    const { first, last, ...given } = person
    const body = {
      country: 'NG',
      type: 'bank_account',
      first_name: first,
      last_name: last,
      ...given,
    }
    return this.ask('POST', '/customer/{code}/identification', { params: { code }, body })
  }
}

export const assumptionsOfAccounts = (asking: Asking, parts: CheckParts): Assumption[] =>
  checkedWith(new Probe(asking, parts), rows)

const rows: ProbeRow<Probe>[] = [
  {
    id: 'feature_off',
    source: 'nanafox/paystack_sdk, test API 2026-10: on every call about dedicated accounts',
    asked: 'GET /dedicated_account, by an account without that feature',
    assumed: "403, code 'feature_unavailable'",
    look: async (probe) => {
      const answer = await probe.ask('GET', '/dedicated_account')
      probe.hasAccounts = answer.is !== 'refused' || !refusals.isFeatureOff(answer)
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
    look: async (probe) => {
      const wanted = new Date(probe.clock.now().getTime() + 30 * 60_000)
      const bank_transfer = { account_expires_at: wanted.toISOString() }
      const body = {
        email: probe.payerEmail,
        amount: Number(amount),
        currency: 'NGN',
        reference: newReference(),
        bank_transfer,
      }
      return answered(await probe.ask('POST', '/charge', { body }), (data) => {
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
    look: async (probe) => {
      const { first, last } = person
      const body = {
        email: probe.email,
        first_name: first,
        last_name: last,
        phone: '+2348012345678',
      }
      const [one, two] = [
        await probe.ask('POST', '/customer', { body }),
        await probe.ask('POST', '/customer', { body }),
      ]
      if (one.is !== 'answered') return answered(one, () => found(null))
      if (two.is !== 'answered') return answered(two, () => found(null))
      probe.customer = textOf(asObject(one.data)?.customer_code)
      const again = textOf(asObject(two.data)?.customer_code)
      return {
        saw: probe.customer === again ? 'the same one twice' : 'another one',
        fits: probe.customer !== null && probe.customer === again,
      }
    },
  },
  {
    id: 'unknown_customer',
    source: 'nanafox/paystack_sdk, test API 2026-10',
    asked: 'a customer that is none',
    assumed: "a refusal, 'customer not found'",
    look: async (probe) => {
      const params = { code: 'CUS_000000000000000' }
      return whenRefused(
        await probe.ask('GET', '/customer/{code}', { params }),
        refusals.isUnknownCustomer,
      )
    },
  },
  {
    id: 'dedicated_banks',
    source: 'pages of Paystack, 2026',
    asked: 'banks of dedicated accounts',
    assumed: 'one at least, with its provider_slug',
    look: async (probe) => {
      if (!probe.hasAccounts) return notReachable(noFeature)
      return answered(
        await probe.ask('GET', '/dedicated_account/available_providers'),
        (_, all) => {
          const slugs = (Array.isArray(all) ? all : []).flatMap(
            (one) => textOf(asObject(one)?.provider_slug) ?? [],
          )
          return found(slugs.length > 0 ? slugs.join(', ') : null)
        },
      )
    },
  },
  {
    id: 'dedicated_account',
    source: 'darthrighteous/paystack-gateway, 2024-11',
    asked: 'dedicated account',
    assumed: 'an account number',
    look: async (probe) => {
      if (!probe.hasAccounts) return notReachable(noFeature)
      if (probe.customer === null) return notReachable('no customer')
      return answered(
        await probe.ask('POST', '/dedicated_account', {
          body: { customer: probe.customer, preferred_bank: 'test-bank' },
        }),
        (data) => {
          probe.account = textOf(data.account_number)
          return found(probe.account && 'a number', 'none yet: it is said by a webhook')
        },
      )
    },
  },
  {
    id: 'unknown_dedicated_account',
    source: '[U]',
    asked: 'a dedicated account that is none',
    assumed: 'a refusal that says so',
    look: async (probe) => {
      if (!probe.hasAccounts) return notReachable(noFeature)
      const params = { id: '1' }
      return whenRefused(
        await probe.ask('GET', '/dedicated_account/{id}', { params }),
        unconfirmed.isUnknownAccountId,
      )
    },
  },
  {
    id: 'second_dedicated_account',
    source: '[U]',
    asked: 'a second one of that customer',
    assumed: 'the first one again, or a refusal',
    look: async (probe) => {
      if (probe.customer === null || probe.account === null) return notReachable('no first one')
      const answer = await probe.ask('POST', '/dedicated_account', {
        body: { customer: probe.customer, preferred_bank: 'test-bank' },
      })
      if (answer.is !== 'answered') return whenRefused(answer, () => true)
      const number = textOf(asObject(answer.data)?.account_number)
      return {
        saw: number === probe.account ? 'the first one' : 'another one',
        fits: number === probe.account,
      }
    },
  },
  {
    id: 'identification',
    source: 'nanafox/paystack_sdk, test API 2026-10: 202; [U] that the published bvn is identified',
    asked: 'identification by bvn and bank account',
    assumed: 'in progress, and identified within half a minute',
    look: async (probe) => {
      if (probe.customer === null) return notReachable('no customer')
      const params = { code: probe.customer }
      const answer = await probe.identify(probe.customer)
      if (answer.is !== 'answered') return answered(answer, () => found(null))
      probe.identified = await lookUntil(probe.parts, identifiedWithinMs, async () => {
        const now = await probe.ask('GET', '/customer/{code}', { params })
        return now.is === 'answered' && asObject(now.data)?.identified === true ? true : null
      })
      return probe.identified
        ? { saw: 'identified', fits: true }
        : notReachable('in progress, and not identified in time')
    },
  },
  {
    id: 'identified_again',
    source: '[U]',
    asked: 'the same identification again',
    assumed: "a refusal, 'already validated'",
    look: async (probe) =>
      probe.customer !== null && probe.identified
        ? whenRefused(await probe.identify(probe.customer), unconfirmed.isIdentified)
        : notReachable('not identified'),
  },
]
