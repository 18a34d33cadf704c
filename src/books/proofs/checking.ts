/**
 * Checks receipts from their content alone, without database or server. docs/proofs.md has the same
 * in Python.
 */
import { createPublicKey, verify } from 'node:crypto'
import { climb, leafOf, type Step } from '../../lib/merkle.ts'
import { dayText, type PostingForm, postingText, proofText, sealText } from './forms.ts'

/** The DER prefix of an Ed25519 public key (RFC 8410). */
const head = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Whether the key signed the text.
 * @param key 32 bytes; undefined if the key is unknown
 */
export function isSignedBy(key: Buffer | undefined, text: string, signature: Uint8Array): boolean {
  if (key?.length !== 32) return false
  const known = createPublicKey({ key: Buffer.concat([head, key]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), known, signature)
}

/** What a receipt proves. */
export type Proven = {
  business: string
  mode: string
  transaction: string
  postings: (PostingForm & { day: string })[]
  /** The days, and the key that signed the proof of each. */
  days: { day: string; cell: string; root: string; key: string }[]
}

/** The receipt is invalid; the message says where. */
export class NotProven extends Error {}

/**
 * Checks a receipt against the issuer's keys.
 * @param receipt the answer of `GET /transactions/{id}/receipt`, or its `data`
 * @param keys the answer of `GET /proofs/keys`, or its `data`: stored earlier, or fetched if the
 * server is trusted
 * @throws {NotProven}
 */
export function checkReceipt(receipt: unknown, keys: unknown): Proven {
  const of = fieldsOf(dataOf(receipt), 'the receipt')
  if (of.text('format') !== 'bursar receipt 1')
    fail('the receipt is of a form that is not known here')
  const [business, mode, transaction] = [
    of.text('business'),
    of.text('mode'),
    of.text('transaction'),
  ]
  const known = listOf(dataOf(keys), 'the keys').map((key) => fieldsOf(key, 'a key'))
  const proven: Proven = { business, mode, transaction, postings: [], days: [] }
  const once = noneTwice()
  for (const given of of.list('days')) {
    const inDay = fieldsOf(given, 'a day')
    const day = inDay.text('day')
    once(day)
    let rootOfBusiness: string | null = null
    for (const one of inDay.list('seals')) {
      const seal = fieldsOf(one, `a seal of ${day}`)
      let root: string | null = null
      for (const moved of seal.list('postings')) {
        const posting = fieldsOf(moved, `a posting of ${day}`)
        const form = { business, mode, transaction, ...formFields(posting) }
        once(`posting ${form.posting}`)
        root = same(root, climbed(leafOf(postingText(form)), posting), `posting ${form.posting}`)
        proven.postings.push({ ...form, day })
      }
      const number = seal.text('number')
      once(`seal ${number}`)
      const said = { number, count: seal.text('count'), previous: seal.text('previous') }
      const hash = leafOf(
        sealText({
          business,
          mode,
          day,
          ...said,
          root: root ?? fail(`seal ${number} has no posting`),
        }),
      )
      rootOfBusiness = same(rootOfBusiness, climbed(hash, seal), `seal ${number}`)
    }
    const root = rootOfBusiness ?? fail(`${day} has no seal`)
    const leaf = leafOf(dayText({ business, mode, day, root, blind: inDay.text('blind') }))
    same(inDay.text('root'), climbed(leaf, inDay), `what leads to the root of ${day}`)
    checkSigned(inDay, day, known)
    proven.days.push({
      day,
      cell: inDay.text('cell'),
      root: inDay.text('root'),
      key: inDay.text('key'),
    })
  }
  if (proven.postings.length === 0) fail('the receipt has no posting')
  return proven
}

/** @throws {NotProven} unless a key that was valid on that day signed the proof */
function checkSigned(proof: Fields, day: string, keys: Fields[]): void {
  const id = proof.text('key')
  const key =
    keys.find((one) => one.text('id') === id) ??
    fail(`${day} is signed by key ${id}, which is none of the keys`)
  const until = key.optional('until')
  if (day < key.text('from') || (until !== null && day > until))
    fail(`key ${id} was not in use on ${day}`)
  const text = proofText({
    cell: proof.text('cell'),
    day,
    root: proof.text('root'),
    previous: proof.text('previous'),
  })
  const bytes = Buffer.from(key.text('public_key'), 'base64')
  if (!isSignedBy(bytes, text, Buffer.from(proof.text('signature'), 'base64')))
    fail(`the signature of ${day} is not right`)
}

const inPosting = [
  'posting',
  'debit',
  'credit',
  'currency',
  'kind',
  'subject',
  'posted_at',
  'blind',
] as const

const formFields = (posting: Fields) => {
  const texts = Object.fromEntries(inPosting.map((name) => [name, posting.text(name)]))
  return {
    ...(texts as Record<(typeof inPosting)[number], string>),
    amount: posting.whole('amount'),
  }
}

/** Returns the root to which a Merkle path leads. */
function climbed(from: Buffer, { list }: Fields): string {
  const path = list('path').map((step): Step => {
    const [, side, hash] =
      /^(left|right):([0-9a-f]{64})$/.exec(String(step)) ?? fail('a path has a step that is none')
    return { side: side as Step['side'], hash: Buffer.from(hash as string, 'hex') }
  })
  return climb(from, path).toString('hex')
}

/** Checks that several paths lead to one root. */
function same(before: string | null, now: string, what: string): string {
  return before === null || before === now ? now : fail(`${what} is not what was sealed`)
}

/**
 * Returns a check against repeated entries: a duplicated posting would otherwise be proven twice.
 */
function noneTwice(): (what: string) => void {
  const seen = new Set<string>()
  return (what) => {
    if (seen.has(what)) fail(`${what} is there twice`)
    seen.add(what)
  }
}

function fail(why: string): never {
  throw new NotProven(why)
}

type Fields = {
  text(name: string): string
  optional(name: string): string | null
  whole(name: string): string
  list(name: string): unknown[]
}

/** Reads fields of untrusted input with their required types. */
function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null) return fail(`${what} is no object`)
  const of = value as Record<string, unknown>
  const text = (name: string): string =>
    typeof of[name] === 'string' ? (of[name] as string) : fail(`${what} has no text '${name}'`)
  return {
    text,
    optional: (name) => (of[name] === null ? null : text(name)),
    whole: (name) =>
      Number.isSafeInteger(of[name])
        ? String(of[name])
        : fail(`${what} has no whole number '${name}'`),
    list: (name) => listOf(of[name], `'${name}' of ${what}`),
  }
}

const listOf = (value: unknown, what: string): unknown[] =>
  Array.isArray(value) ? value : fail(`${what} is no list`)

/** Returns the `data` of an API answer. */
const dataOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'data' in value
    ? (value as { data: unknown }).data
    : value
