/**
 * Identity checks: Dojah looks up a bank verification or national identification number and returns
 * the issuer's name, which is compared here. Dojah stores no result: if an answer is lost, the
 * number is looked up, and paid, again.
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
   * Reports an unusable answer. A paid repeat would give the same one, so a person checks it and it
   * is not retried.
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
    // Every request was answered at once, or its result is unknown at Dojah too.
    ask: async () => ({ state: 'pending' }),
    ownersOf: async () => [],
  }
}
