/**
 * What this rail assumes of Dojah, to be asked about with a key of its sandbox, whose numbers are
 * published.
 */

import { beyondTestKeys, findingsOf, inWords, notReachable } from '../http/findings.ts'
import { meaningOfRefusal } from '../http/refusals.ts'
import type { Assumption, AssumptionCheck, Seen } from '../ports/assumptions.ts'
import { type DocumentType, lookups, nameIn, walletIn } from './answers.ts'
import type { Answer, Client } from './client.ts'
import { lookUpRefusals } from './refusals.ts'
import { numberIn } from './unconfirmed.ts'

/** Published for the sandbox; nobody has the last. */
const numbers = { bvn: '22222222222', nin: '70123456789', nobody: '22222222223' }

export const dojahAssumptions =
  (client: Client, secrets: readonly string[]): AssumptionCheck =>
  () => {
    const lookUp = (type: DocumentType, number: string): Promise<Answer> => {
      const { path, parameter } = lookups[type]
      return client.ask({ method: 'GET', path, query: { [parameter]: number }, urgency: 'send' })
    }
    const seenIn = (answer: Answer, look: (entity: Record<string, unknown>) => Seen): Seen => {
      if (answer.is === 'answered')
        return answer.entity === null ? { saw: 'entity is null', fits: false } : look(answer.entity)
      if (answer.is === 'refused') return { saw: inWords(answer), fits: false }
      return notReachable(inWords(answer))
    }
    const ofNumber = (type: DocumentType): Assumption => ({
      id: `${type}_number`,
      asked: `GET ${lookups[type].path} of the sandbox's number`,
      assumed: 'the number in full, masked, or not at all; never another one',
      source: '[U] four public clients show it masked, dojah-inc/dojah-sdks 42a7bd7 (2023) in full',
      look: async () =>
        seenIn(await lookUp(type, numbers[type]), (entity) => {
          const said = numberIn(entity, type)
          const form = typeof entity[type]
          if (said !== null)
            return {
              saw: said === numbers[type] ? 'in full' : 'another number',
              fits: said === numbers[type],
            }
          const shown = form === 'string' ? String(entity[type]).replaceAll(/\d/g, '9') : form
          return {
            saw: shown === '' || form === 'undefined' ? 'not at all' : `as ${shown}`,
            fits: form !== 'object',
          }
        }),
    })
    const ofName = (type: DocumentType): Assumption => ({
      id: `${type}_name`,
      asked: `GET ${lookups[type].path} of the sandbox's number`,
      assumed: 'a first name, and a last name or a surname',
      source: 'dojah-inc/dojah-sdks 42a7bd7 (2023), docs.dojah.io',
      look: async () =>
        seenIn(await lookUp(type, numbers[type]), (entity) => ({
          saw: `the fields ${Object.keys(entity)
            .filter((name) => /name/.test(name))
            .join(', ')}`,
          fits: nameIn(entity) !== null,
        })),
    })
    return findingsOf(
      [
        ofNumber('bvn'),
        ofNumber('nin'),
        ofName('bvn'),
        ofName('nin'),
        {
          id: 'unknown_number',
          asked: `GET ${lookups.bvn.path} of a number that the sandbox does not publish`,
          assumed: 'a refusal that says that there is none, or an entity that is null',
          source: 'docs.dojah.io: 400 "BVN not found"; dojah-inc/dojah-sdks 42a7bd7: 404',
          async look() {
            const answer = await lookUp('bvn', numbers.nobody)
            if (answer.is === 'refused')
              return {
                saw: inWords(answer),
                fits: meaningOfRefusal(lookUpRefusals, answer) === 'not_found',
              }
            if (answer.is !== 'answered') return notReachable(inWords(answer))
            return answer.entity === null
              ? { saw: 'entity is null', fits: true }
              : notReachable('the sandbox answers with a person')
          },
        },
        {
          id: 'wallet',
          asked: 'GET /api/v1/balance',
          assumed: '`wallet_balance`, a number or text',
          source: 'dojah-inc/dojah-sdks 42a7bd7 (2023)',
          look: async () =>
            seenIn(
              await client.ask({ method: 'GET', path: '/api/v1/balance', urgency: 'send' }),
              (entity) => ({
                saw: `wallet_balance is a ${typeof entity.wallet_balance}`,
                fits: walletIn(entity) !== null,
              }),
            ),
        },
        ...beyondTestKeys([
          [
            'empty_wallet',
            'an empty wallet is refused with 402, or with words about the balance',
            'look-ups of the sandbox are free',
          ],
          [
            'upstream_away',
            '408 and 424 say that the source could not be asked',
            'it takes a source that is away',
          ],
          [
            'rate_limit',
            '120 requests a minute are taken',
            'it takes more requests than a check may make',
          ],
          ['price', 'a look-up costs less than 100 naira', 'look-ups of the sandbox are free'],
        ]),
      ],
      secrets,
    )
  }
