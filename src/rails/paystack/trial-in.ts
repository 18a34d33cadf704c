/** The walk through money that comes: payments, refunds, accounts and customers. */
import { randomBytes } from 'node:crypto'
import type { TrialParts } from '../trial.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'
import { type Asking, answered, found, inWords, lookUntil, refused, type Step, skipped } from './trial-asking.ts'
import * as unconfirmed from './unconfirmed.ts'

/** What Paystack publishes for test keys. */
const person = { bank_code: '007', account_number: '0111111111', bvn: '22222222222', first: 'Uchenna', last: 'Okoro' }

const paid = 50_000n
const small = 10_000n
const payWithinMs = 300_000
const identifiedWithinMs = 30_000

const newEmail = (): string => `trial-${randomBytes(6).toString('hex')}@example.com`
const newReference = (): string => `tr-${randomBytes(12).toString('hex')}`

/** @param host of Paystack's pages; null where it is somewhere else, so that its pages are too */
export function stepsIn({ ask, clock }: Asking, host: string | null, { pay }: TrialParts): Step[] {
  // What a step learns, for those after it.
  let url: string | null = null
  let transaction: Record<string, unknown> | null = null
  let customer: string | null = null
  let account: string | null = null
  let identified: true | null = null
  const page = newReference()
  // Two of them: whoever has paid is a customer there already, without a name.
  const [email, customerEmail] = [newEmail(), newEmail()]

  const verified = (named: string) => ask('GET', '/transaction/verify/{reference}', { params: { reference: named } })

  const initialized = () =>
    ask('POST', '/transaction/initialize', {
      body: {
        ...{ email, amount: Number(paid), currency: 'NGN', reference: page, channels: ['card'] },
        ...{ callback_url: 'https://example.com/back', metadata: { cancel_action: 'https://example.com/' } },
      },
    })

  const identify = (code: string) => {
    const { first, last, ...given } = person
    const body = { country: 'NG', type: 'bank_account', first_name: first, last_name: last, ...given }
    return ask('POST', '/customer/{code}/identification', { params: { code }, body })
  }

  return [
    {
      title: 'payment on the page',
      expected: 'an authorization_url on checkout.paystack.com',
      run: async () =>
        answered(await initialized(), (data) => {
          url = textOf(data.authorization_url)
          return { saw: url ?? 'none', fits: url !== null && (host === null || new URL(url).host === host) }
        }),
    },
    {
      title: 'the same payment again',
      expected: "a refusal, 'duplicate transaction reference'",
      run: async () => refused(await initialized(), refusals.isDuplicateTransaction),
    },
    {
      title: 'verify of a payment that nobody has made',
      expected: 'abandoned, ongoing or pending',
      run: async () =>
        answered(await verified(page), (data) => {
          const status = textOf(data.status) ?? 'no status'
          return { saw: status, fits: ['abandoned', 'ongoing', 'pending', 'processing', 'queued'].includes(status) }
        }),
    },
    {
      title: 'verify of a payment that was never asked for',
      expected: "a refusal with 400 or 404, 'reference not found'",
      run: async () => refused(await verified(newReference()), refusals.isUnknownTransaction),
    },
    {
      title: 'verify of a payment that a person has made with a test card',
      expected: 'success, the amount as requested_amount, fees, channel card',
      run: async () => {
        if (pay === null || url === null) return skipped('nobody pays: run it without --no-pay')
        await pay(url, paid)
        transaction = await lookUntil(clock, payWithinMs, async () => {
          const answer = await verified(page)
          const data = answer.is === 'answered' ? asObject(answer.data) : null
          return data?.status === 'success' ? data : null
        })
        if (transaction === null) return skipped('it was not paid in time')
        const { requested_amount, amount, fees, channel } = transaction
        const saw = `requested_amount ${requested_amount}, amount ${amount}, fees ${fees}, channel ${channel}`
        return { saw, fits: requested_amount === Number(paid) && wholeOf(fees) !== null && channel === 'card' }
      },
    },
    {
      title: 'refund of a part of it',
      expected: 'pending, processing or processed',
      run: async () => {
        if (transaction === null) return skipped('no payment was made')
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
      title: 'refunds of that payment',
      expected: 'one, with the merchant_note as it was sent',
      settles: 'noteOf, noteIn: whether the list knows the filter transaction, and merchant_note comes back unchanged',
      run: async () => {
        if (transaction === null) return skipped('no payment was made')
        const asked = await ask('GET', '/refund', { query: { transaction: String(transaction.id) } })
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
      title: 'one-time account',
      expected: 'an account number, a bank, and an end',
      settles: 'accountLifeMs',
      run: async () => {
        const wanted = new Date(clock.now().getTime() + 30 * 60_000)
        const bank_transfer = { account_expires_at: wanted.toISOString() }
        const body = { email, amount: Number(paid), currency: 'NGN', reference: newReference(), bank_transfer }
        return answered(await ask('POST', '/charge', { body }), (data) => {
          const [number, end] = [textOf(data.account_number), Date.parse(textOf(data.account_expires_at) ?? '')]
          if (number === null || Number.isNaN(end))
            return { saw: `${textOf(data.status)}: ${number ?? 'no number'}`, fits: false }
          const off = Math.round((end - wanted.getTime()) / 1_000)
          return {
            saw: `${number}, which ends ${off} s after the time that was asked for`,
            fits: asObject(data.bank)?.id !== undefined,
          }
        })
      },
    },
    {
      title: 'customer, twice with one address',
      expected: 'the same customer_code twice',
      settles: 'whether a known address answers the customer that is there',
      run: async () => {
        const { first, last } = person
        const body = { email: customerEmail, first_name: first, last_name: last, phone: '+2348012345678' }
        const [one, two] = [await ask('POST', '/customer', { body }), await ask('POST', '/customer', { body })]
        if (one.is !== 'answered' || two.is !== 'answered')
          return { saw: inWords(one.is === 'answered' ? two : one), fits: false }
        customer = textOf(asObject(one.data)?.customer_code)
        const again = textOf(asObject(two.data)?.customer_code)
        return {
          saw: customer === again ? `${customer} twice` : `${customer}, then ${again}`,
          fits: customer !== null && customer === again,
        }
      },
    },
    {
      title: 'a customer that is none',
      expected: "a refusal, 'customer not found'",
      run: async () => {
        const params = { code: 'CUS_000000000000000' }
        return refused(await ask('GET', '/customer/{code}', { params }), refusals.isUnknownCustomer)
      },
    },
    {
      title: 'banks of dedicated accounts',
      expected: 'one at least, with its provider_slug',
      run: async () =>
        answered(await ask('GET', '/dedicated_account/available_providers'), (_, all) => {
          const slugs = (Array.isArray(all) ? all : []).flatMap((one) => textOf(asObject(one)?.provider_slug) ?? [])
          return found(slugs.length > 0 ? slugs.join(', ') : null)
        }),
    },
    {
      title: 'dedicated account',
      expected: 'an account number',
      run: async () => {
        if (customer === null) return skipped('no customer')
        return answered(
          await ask('POST', '/dedicated_account', { body: { customer, preferred_bank: 'test-bank' } }),
          (data) => {
            account = textOf(data.account_number)
            return found(account, 'none yet: it is said by a webhook')
          },
        )
      },
    },
    {
      title: 'a dedicated account that is none',
      expected: 'a refusal that says so',
      settles: 'isUnknownAccountId',
      run: async () => {
        const params = { id: '1' }
        return refused(await ask('GET', '/dedicated_account/{id}', { params }), unconfirmed.isUnknownAccountId)
      },
    },
    {
      title: 'a second one of that customer',
      expected: 'the first one again, or a refusal',
      settles: 'what a second dedicated account of a customer is',
      run: async () => {
        if (customer === null || account === null) return skipped('no first one')
        const answer = await ask('POST', '/dedicated_account', { body: { customer, preferred_bank: 'test-bank' } })
        const number = answer.is === 'answered' ? textOf(asObject(answer.data)?.account_number) : null
        return {
          saw: number === null ? inWords(answer) : number === account ? 'the first one' : 'another one',
          fits: number === null || number === account,
        }
      },
    },
    {
      title: 'identification by bvn and bank account',
      expected: 'in progress, and identified within half a minute',
      settles: 'the digits of the published bvn',
      run: async () => {
        if (customer === null) return skipped('no customer')
        const params = { code: customer }
        const answer = await identify(customer)
        if (answer.is !== 'answered') return { saw: inWords(answer), fits: false }
        identified = await lookUntil(clock, identifiedWithinMs, async () => {
          const now = await ask('GET', '/customer/{code}', { params })
          return now.is === 'answered' && asObject(now.data)?.identified === true ? true : null
        })
        return { saw: identified ? 'identified' : 'in progress, and not identified in time', fits: identified === true }
      },
    },
    {
      title: 'the same identification again',
      expected: "a refusal, 'already validated'",
      settles: 'isIdentified',
      run: async () =>
        customer !== null && identified
          ? refused(await identify(customer), unconfirmed.isIdentified)
          : skipped('not identified'),
    },
  ]
}
