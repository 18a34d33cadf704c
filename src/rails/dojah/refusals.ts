/**
 * The meaning of Dojah's refusals. Look-ups move no money, so after an unlisted refusal nothing is
 * known yet.
 */
import type { CertainRefusal } from '../http/refusals.ts'

export const lookUpRefusals: readonly CertainRefusal<
  'not_found' | 'unpaid' | 'again' | 'rejected'
>[] = [
  {
    status: [404],
    means: 'not_found',
    source: 'dojah-inc/dojah-sdks 42a7bd7, 2023: 404 "Result Not Found" of a phone number',
  },
  {
    status: [400],
    message: /not found|no record|does not exist|invalid (bvn|nin)/i,
    means: 'not_found',
    source: 'docs.dojah.io: 400 "BVN not found"; [U] the other words',
  },
  {
    status: [402],
    means: 'unpaid',
    source: 'a public client that lists every status in the docs of Dojah',
  },
  {
    message: /insufficient (balance|funds)|low balance|balance is (too )?low/i,
    means: 'unpaid',
    source: '[U] the words under another status',
  },
  {
    message: /try again|retry|temporar|timed? ?out|unavailable/i,
    means: 'again',
    source: '[U] that its source did not answer, under another status than 424',
  },
  {
    status: [400, 422],
    means: 'rejected',
    source: '[U] that any other refusal of the request stays one',
  },
]
