/**
 * Who a customer is: Dojah looks up a bank verification number or a national identification number,
 * and answers with the name that the issuer has. The names are compared here. It answers at once or
 * not at all, and keeps nothing that could be asked about: a number whose answer was lost is looked
 * up again, which costs again.
 */

import { offerAgainMs } from '../http/answers.ts'
import { meaningOfRefusal } from '../http/refusals.ts'
import type { ProviderParts } from '../ports/provider.ts'
import type { IdentityRail, IdentityState } from '../ports/rail.ts'
import { namesAgree } from '../reference/person-names.ts'
import { type DocumentType, lookups, nameIn } from './answers.ts'
import type { Answer, Client } from './client.ts'
import { lookUpRefusals } from './refusals.ts'
import { numberIn } from './unconfirmed.ts'

const refusedNow = (askAgainInMs: number): IdentityState => ({ state: 'refused_now', askAgainInMs })

type Account = { name: string; client: Client; report: ProviderParts['report'] }

export function dojahIdentity({ name, client, report }: Account): IdentityRail {
  /**
   * Reports an answer that cannot be used. Each look-up is paid for, and another would answer the
   * same: a person looks at it, and it is not asked again.
   */
  const useless = (customer: string, sentence: string): IdentityState => {
    report('quarantined', customer, sentence)
    return { state: 'failed', reason: 'rejected' }
  }
  const unanswered = (
    answer: Exclude<Answer, { is: 'answered' }>,
    customer: string,
  ): IdentityState => {
    if (answer.is === 'unknown') return { state: 'unknown' }
    if (answer.is === 'not_sent') return refusedNow(offerAgainMs.provider_down)
    if (answer.is === 'rate_limited') return refusedNow(answer.againInMs)
    if (answer.is === 'bad_credentials') return refusedNow(offerAgainMs.bad_credentials)
    switch (meaningOfRefusal(lookUpRefusals, answer)) {
      case 'unpaid':
        report('needs_attention', 'wallet', 'the wallet that look-ups are paid from is empty')
        return refusedNow(offerAgainMs.not_enabled)
      case 'not_found':
        return { state: 'failed', reason: 'not_found' }
      case 'again':
        return { state: 'unknown' }
      case 'rejected':
        return { state: 'failed', reason: 'rejected' }
      default:
        report(
          'quarantined',
          customer,
          `a refusal that this version does not know: ${answer.status}`,
        )
        return { state: 'unknown' }
    }
  }

  return {
    name,
    idTypes: Object.keys(lookups),
    needsAccount: false,
    async verify({ customer, idType, idNumber }) {
      const type = idType as DocumentType
      const { path, parameter } = lookups[type]
      const answer = await client.ask({
        method: 'GET',
        path,
        query: { [parameter]: idNumber },
        urgency: 'send',
      })
      if (answer.is !== 'answered') return unanswered(answer, customer.id)
      if (answer.entity === null) return { state: 'failed', reason: 'not_found' }
      const about = numberIn(answer.entity, type)
      if (about !== null && about !== idNumber)
        return useless(customer.id, 'it answers with another number')
      const found = nameIn(answer.entity)
      if (found === null) return useless(customer.id, `it answers with a ${type} without a name`)
      return namesAgree(customer, found)
        ? { state: 'verified' }
        : { state: 'failed', reason: 'mismatch' }
    },
    // What was sent has either been answered, or nothing is known of it there.
    ask: async () => ({ state: 'pending' }),
    ownersOf: async () => [],
  }
}
