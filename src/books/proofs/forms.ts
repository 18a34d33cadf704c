/**
 * The texts that are hashed and signed. They follow no storage: what is written here stays as it
 * is, whatever tables become. docs/proofs.md has the same for whoever checks them.
 */
import { hmacSha256 } from '../../lib/secrets.ts'

/** What stands before the first: of seals, and of proofs. */
export const nothing: Buffer = Buffer.alloc(32)

const join = (...fields: (string | bigint | number)[]): string => fields.join('|')

/**
 * A posting as it is hashed. All of its fields are plain words, digits and times: none can hold
 * what parts them.
 */
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

/** What a business and mode has in the tree of a day. `root` is over its seals of the day. */
export const dayText = ({ business, mode, day, root, blind }: DayForm): string =>
  join('bursar day 1', business, mode, day, root, blind)

export type ProofForm = { cell: string; day: string; root: string; previous: string }

/** What is signed. */
export const proofText = ({ cell, day, root, previous }: ProofForm): string =>
  join('bursar proof 1', cell, day, root, previous)

/** 32 hex digits that keep a hash from being guessed by who knows nearly all of what it is of. */
export const blindOf = (salt: Uint8Array, of: string): string => hmacSha256(salt, of).slice(0, 32)
