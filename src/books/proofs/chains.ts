/** The hashes of postings, seals and days, shared by sealing, proofs and verification. */
import { isoText } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'
import { leafOf, rootOf } from '../../lib/merkle.ts'
import { modeOf } from '../../lib/mode.ts'
import { isBuiltIn } from '../ledger/ledger.ts'
import { blindOf, dayText, type PostingForm, postingText, sealText } from './forms.ts'
import type { Owner, PostingRow } from './sql.ts'

/** The most postings of a seal, which bounds the length of a proof. */
export const mostPostings = 1024

/**
 * Returns an account as text: purpose, currency and subject, without names of accounts at
 * providers.
 */
function accountText(
  salt: Uint8Array,
  purpose: string | null,
  currency: string | null,
  subject: string | null,
): string {
  if (purpose === null) return 'missing'
  if (!subject) return `${purpose}:${currency}`
  const shown =
    isId(subject) || isBuiltIn(subject)
      ? subject
      : `#${blindOf(salt, `account ${subject}`).slice(0, 16)}`
  return `${purpose}:${currency}:${shown}`
}

/** Returns a posting as it is hashed and shown in receipts. */
export function formOf(salt: Uint8Array, row: PostingRow): PostingForm {
  return {
    business: row.business_id,
    mode: modeOf(row.livemode),
    posting: String(row.id),
    debit: accountText(salt, row.debit_purpose, row.debit_currency, row.debit_subject),
    credit: accountText(salt, row.credit_purpose, row.credit_currency, row.credit_subject),
    amount: String(row.amount),
    currency: row.currency,
    kind: row.kind,
    subject: row.subject,
    transaction: row.transaction_id,
    posted_at: isoText(row.posted_at),
    blind: blindOf(salt, `posting ${row.id}`),
  }
}

/** Returns the Merkle leaf of a posting. */
export const leafOfPosting = (salt: Uint8Array, row: PostingRow): Buffer =>
  leafOf(postingText(formOf(salt, row)))

/** A posting as stored in a seal. */
export type Kept = { id: bigint; leaf: Buffer }
const keptBytes = 40

/** Returns the postings of a seal as one buffer. */
export const keep = (kept: readonly Kept[]): Buffer =>
  Buffer.concat(
    kept.flatMap(({ id, leaf }) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigInt64BE(id)
      return [bytes, leaf]
    }),
  )

export const keptIn = (leaves: Buffer): Kept[] =>
  Array.from({ length: Math.floor(leaves.length / keptBytes) }, (_, i) => ({
    id: leaves.readBigInt64BE(i * keptBytes),
    leaf: leaves.subarray(i * keptBytes + 8, (i + 1) * keptBytes),
  }))

/** Splits a buffer into hashes. */
export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.floor(bytes.length / 32) }, (_, i) =>
    bytes.subarray(i * 32, i * 32 + 32),
  )

type Seal = Owner & {
  day: string
  number: bigint
  postings: number
  root: Buffer
  previous: Buffer
}

/** Returns the hash of a seal. */
export const hashOfSeal = ({
  business_id,
  livemode,
  day,
  number,
  postings,
  root,
  previous,
}: Seal): Buffer =>
  leafOf(
    sealText({
      business: business_id,
      mode: modeOf(livemode),
      day,
      number: String(number),
      count: String(postings),
      root: root.toString('hex'),
      previous: previous.toString('hex'),
    }),
  )

export const blindOfDay = (salt: Uint8Array, day: string): string => blindOf(salt, `day ${day}`)

/**
 * Returns the leaf of a business and mode in the tree of a day.
 * @param hashes of its seals of that day
 */
export const leafOfDay = (
  { business_id, livemode }: Owner,
  salt: Uint8Array,
  day: string,
  hashes: Buffer[],
): Buffer =>
  leafOf(
    dayText({
      business: business_id,
      mode: modeOf(livemode),
      day,
      root: rootOf(hashes).toString('hex'),
      blind: blindOfDay(salt, day),
    }),
  )

export const keyOf = ({ business_id, livemode }: Owner): string =>
  `${business_id} ${modeOf(livemode)}`
