/** The assumptions about Dojah that a sandbox key can check. */

import {
  beyondTestKeys,
  checkedWith,
  findingsOf,
  inWords,
  notReachable,
  type ProbeRow,
} from '../http/findings.ts'
import { meaningOfRefusal } from '../http/refusals.ts'
import type { AssumptionCheck, Seen } from '../ports/assumptions.ts'
import { type DocumentType, lookups, nameIn, walletIn } from './answers.ts'
import type { Answer, Client } from './client.ts'
import { lookUpRefusals } from './refusals.ts'
import { numberIn } from './unconfirmed.ts'

/** The sandbox's published numbers, and one that does not exist. */
const numbers = { bvn: '22222222222', nin: '70123456789', unknown: '22222222223' }

export const dojahAssumptions =
  (client: Client, secrets: readonly string[]): AssumptionCheck =>
  () =>
    findingsOf([...checkedWith(client, rows), ...beyondTestKeys(notByTestKeys)], secrets)

function lookUp(client: Client, type: DocumentType, number: string): Promise<Answer> {
  const { path, parameter } = lookups[type]
  return client.ask({ method: 'GET', path, query: { [parameter]: number }, urgency: 'send' })
}

function seenIn(answer: Answer, look: (entity: Record<string, unknown>) => Seen): Seen {
  if (answer.is === 'answered')
    return answer.entity === null ? { saw: 'entity is null', fits: false } : look(answer.entity)
  if (answer.is === 'refused') return { saw: inWords(answer), fits: false }
  return notReachable(inWords(answer))
}

const rowOfNumber = (type: DocumentType): ProbeRow<Client> => ({
  id: `${type}_number`,
  asked: `GET ${lookups[type].path} of the sandbox's number`,
  assumed: 'the number in full, masked, or not at all; never another one',
  source: '[U] four public clients show it masked, dojah-inc/dojah-sdks 42a7bd7 (2023) in full',
  look: async (client) =>
    seenIn(await lookUp(client, type, numbers[type]), (entity) => {
      const number = numberIn(entity, type)
      if (number !== null) {
        const isSame = number === numbers[type]
        return { saw: isSame ? 'in full' : 'another number', fits: isSame }
      }
      const form = typeof entity[type]
      const shown = form === 'string' ? String(entity[type]).replaceAll(/\d/g, '9') : form
      const isAbsent = shown === '' || form === 'undefined'
      return { saw: isAbsent ? 'not at all' : `as ${shown}`, fits: form !== 'object' }
    }),
})

const rowOfName = (type: DocumentType): ProbeRow<Client> => ({
  id: `${type}_name`,
  asked: `GET ${lookups[type].path} of the sandbox's number`,
  assumed: 'a first name, and a last name or a surname',
  source: 'dojah-inc/dojah-sdks 42a7bd7 (2023), docs.dojah.io',
  look: async (client) =>
    seenIn(await lookUp(client, type, numbers[type]), (entity) => {
      const names = Object.keys(entity).filter((name) => /name/.test(name))
      return { saw: `the fields ${names.join(', ')}`, fits: nameIn(entity) !== null }
    }),
})

const rows: ProbeRow<Client>[] = [
  rowOfNumber('bvn'),
  rowOfNumber('nin'),
  rowOfName('bvn'),
  rowOfName('nin'),
  {
    id: 'unknown_number',
    asked: `GET ${lookups.bvn.path} of a number that the sandbox does not publish`,
    assumed: 'a refusal that says that there is none, or an entity that is null',
    source: 'docs.dojah.io: 400 "BVN not found"; dojah-inc/dojah-sdks 42a7bd7: 404',
    async look(client) {
      const answer = await lookUp(client, 'bvn', numbers.unknown)
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
    look: async (client) =>
      seenIn(
        await client.ask({ method: 'GET', path: '/api/v1/balance', urgency: 'send' }),
        (entity) => ({
          saw: `wallet_balance is a ${typeof entity.wallet_balance}`,
          fits: walletIn(entity) !== null,
        }),
      ),
  },
]

const notByTestKeys: [string, string, string][] = [
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
  ['rate_limit', '120 requests a minute are taken', 'it takes more requests than a check may make'],
  ['price', 'a look-up costs less than 100 naira', 'look-ups of the sandbox are free'],
]
