/** Receipts of transactions: the postings of each, and their path to the signed root of a day. */
import type { View } from '../../core/inside.ts'
import type { Ctx } from '../../core/outside.ts'
import { isoText } from '../../lib/clock.ts'
import { dayAfter, dayOf, startOfDay } from '../../lib/days.ts'
import type { Id } from '../../lib/ids.ts'
import { pathOf, rootOf, type Step } from '../../lib/merkle.ts'
import type { Static } from '../../lib/schema.ts'
import { getTransaction } from '../transactions/transactions.ts'
import {
  blindOfDay,
  formOf,
  hashesIn,
  type Kept,
  keptIn,
  leafOfDay,
  leafOfPosting,
} from './chains.ts'
import { signedPart } from './published.ts'
import { refuse } from './refusals.ts'
import type { TransactionReceipt } from './schema.ts'
import * as sql from './sql.ts'

type Receipt = Static<typeof TransactionReceipt>
type Sealed = { seal: sql.SealRow; kept: Kept[]; postings: sql.PostingRow[] }

/**
 * Returns the receipt of a transaction.
 * @throws {Refusal} `not_found`, `nothing_posted`, `proofs_off`, `receipt_not_ready` until the days
 * of all its postings have proofs
 * @throws {Error} if a posting differs from its seal: nothing false is signed
 */
export async function getReceipt(ctx: Ctx, id: Id): Promise<Receipt> {
  await getTransaction(ctx, id)
  return ctx.snapshot((view) => receiptOf(view, id))
}

async function receiptOf(view: View, id: Id): Promise<Receipt> {
  const postings = await view.rows(sql.selectOfTransaction, [id])
  if (postings.length === 0) refuse('nothing_posted')
  const today = (await view.reader.row(sql.selectBookmark))?.day ?? dayOf(view.scope.now, 'UTC')
  const salt = (await view.row(sql.selectSalt))?.salt
  const seals = new Map<bigint, Sealed>()
  for (const posting of postings) {
    const seal = await view.row(sql.selectSealOf, [posting.position, posting.id])
    if (!seal || !salt) return notReady(view, today)
    const known = seals.get(seal.number) ?? { seal, kept: keptIn(seal.leaves), postings: [] }
    known.postings.push(posting)
    seals.set(seal.number, known)
  }
  const byDay = Map.groupBy(seals.values(), ({ seal }) => seal.day)
  const days: Receipt['days'] = []
  for (const [day, sealed] of byDay)
    days.push(await dayOfReceipt(view, salt as Buffer, day, sealed))
  const { business, mode } = formOf(salt as Buffer, postings[0] as sql.PostingRow)
  return { format: 'bursar receipt 1', business, mode, transaction: id, days }
}

async function dayOfReceipt(
  view: View,
  salt: Buffer,
  day: string,
  sealed: Sealed[],
): Promise<Receipt['days'][number]> {
  const proof = await view.reader.row(sql.selectProof, [day])
  const signed = proof && signedPart(proof)
  if (!proof || !signed) return notReady(view, day)
  const rows = await view.rows(sql.selectHashesOfDay, [day])
  const hashes = rows.map(({ hash }) => hash)
  const owner = sealed[0]?.seal as sql.SealRow
  const leaf = leafOfDay(owner, salt, day, hashes)
  const [live, test] = [hashesIn(proof.live_leaves), hashesIn(proof.test_leaves)]
  const [leaves, beside] = owner.livemode ? [live, test] : [test, live]
  const at = leaves.findIndex((one) => one.equals(leaf))
  if (at < 0) throw new Error(`the seals of ${day} are not those of its proof`)
  const step: Step = { side: owner.livemode ? 'right' : 'left', hash: rootOf(beside) }
  return {
    day,
    blind: blindOfDay(salt, day),
    seals: sealed.map(({ seal, kept, postings }) => ({
      number: String(seal.number),
      count: String(seal.postings),
      previous: seal.previous.toString('hex'),
      postings: postings.map((row) => postingOf(salt, row, kept)),
      path: written(
        pathOf(
          hashes,
          rows.findIndex(({ number }) => number === seal.number),
        ),
      ),
    })),
    path: written([...pathOf(leaves, at), step]),
    ...signed,
  }
}

function postingOf(salt: Buffer, row: sql.PostingRow, kept: Kept[]) {
  const at = kept.findIndex(({ id }) => id === row.id)
  if (at < 0 || !kept[at]?.leaf.equals(leafOfPosting(salt, row)))
    throw new Error(`posting ${row.id} is not as it was sealed`)
  const leaves = kept.map(({ leaf }) => leaf)
  const { posting, debit, credit, currency, kind, subject, posted_at, blind } = formOf(salt, row)
  return {
    posting,
    debit,
    credit,
    amount: row.amount,
    currency,
    kind,
    subject,
    posted_at,
    blind,
    path: written(pathOf(leaves, at)),
  }
}

const written = (path: readonly Step[]): string[] =>
  path.map(({ side, hash }) => `${side}:${hash.toString('hex')}`)

/** @throws {Refusal} always */
function notReady({ config }: View, day: string): never {
  if (config.PROOF_KEY === null) refuse('proofs_off')
  const ends = isoText(startOfDay(dayAfter(day, 1), 'UTC'))
  refuse(
    'receipt_not_ready',
    `What the transaction moved is in the proof of ${day}, which is made a minute after that day ends, at ${ends}.`,
    { day_ends_at: ends },
  )
}
