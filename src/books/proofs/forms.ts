/**
 * The texts that are hashed and signed. They are independent of tables and must never change.
 * docs/proofs.md documents them.
 */
import { hmacSha256 } from '../../lib/secrets.ts'

/** The predecessor of the first seal and the first proof. */
export const nothing: Buffer = Buffer.alloc(32)

const join = (...fields: (string | bigint | number)[]): string => fields.join('|')

/** A posting as it is hashed. Its fields contain no separators. */
export type PostingForm = {
  business: string
  mode: string
  posting: string
  debit: string
  credit: string
  /** Minor units. */
  amount: string
  currency: string
  kind: string
  subject: string
  transaction: string
  posted_at: string
  blind: string
}

export const postingText = (form: PostingForm): string =>
  join(
    'bursar posting 1',
    ...[
      form.business,
      form.mode,
      form.posting,
      form.debit,
      form.credit,
      form.amount,
      form.currency,
    ],
    ...[form.kind, form.subject, form.transaction, form.posted_at, form.blind],
  )

export type SealForm = {
  business: string
  mode: string
  day: string
  number: string
  count: string
  root: string
  previous: string
}

export const sealText = ({
  business,
  mode,
  day,
  number,
  count,
  root,
  previous,
}: SealForm): string => join('bursar seal 1', business, mode, day, number, count, root, previous)

export type DayForm = { business: string; mode: string; day: string; root: string; blind: string }

/**
 * Returns the text of a business and mode in the tree of a day. `root` is over its seals of the
 * day.
 */
export const dayText = ({ business, mode, day, root, blind }: DayForm): string =>
  join('bursar day 1', business, mode, day, root, blind)

export type ProofForm = { cell: string; day: string; root: string; previous: string }

/** Returns the text that is signed. */
export const proofText = ({ cell, day, root, previous }: ProofForm): string =>
  join('bursar proof 1', cell, day, root, previous)

/**
 * Returns 32 hex digits that keep a hash from being guessed even if nearly all its content is
 * known.
 */
export const blindOf = (salt: Uint8Array, of: string): string => hmacSha256(salt, of).slice(0, 32)
