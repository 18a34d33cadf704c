/** Recomputes the chains from the postings and names differences from seals and signed proofs. */
import type { App } from '../../core/app.ts'
import { type Statement, snapshot, type Tx } from '../../db/db.ts'
import { dayAfter } from '../../lib/days.ts'
import type { Id } from '../../lib/ids.ts'
import { rootOf } from '../../lib/merkle.ts'
import { sha256 } from '../../lib/secrets.ts'
import { hashesIn, hashOfSeal, type Kept, keptIn, keyOf, leafOfPosting } from './chains.ts'
import { isSignedBy } from './checking.ts'
import { leavesOf, rootOfDay, textOfProof } from './days.ts'
import { nothing } from './forms.ts'
import * as sql from './sql.ts'

/** A difference: of each chain only the first, because later ones follow from it. */
export type ChainDifference = {
  /** Null if it concerns all businesses. */
  business_id: Id | null
  livemode: boolean | null
  what: string
  said: string
}

export type ChainVerdict = {
  differences: ChainDifference[]
  chains: number
  seals: number
  /** Postings that were compared with a seal. */
  postings: number
  /** Postings after the last seal. */
  unsealed: number
  days: number
}

/**
 * Verifies the chains of all businesses and modes in one snapshot.
 * @param from the day from which postings are compared with seals; older seals are checked by hash
 * alone, for periods whose postings were removed
 */
export function verifyChain(
  { db, config }: Pick<App, 'db' | 'config'>,
  from: string | null = null,
): Promise<ChainVerdict> {
  return snapshot(db, async (tx) => {
    const verdict: ChainVerdict = {
      differences: [],
      chains: 0,
      seals: 0,
      postings: 0,
      unsealed: 0,
      days: 0,
    }
    await verifySeals(tx, from, verdict)
    await verifyProofs(tx, from, verdict, config.CELL)
    return verdict
  })
}

async function verifySeals(tx: Tx, from: string | null, verdict: ChainVerdict): Promise<void> {
  const mark = (await tx.row(sql.selectBookmark)) as sql.Bookmark
  const salted = await tx.rows(sql.selectSalts)
  const salts = new Map(salted.map((one) => [keyOf(one), one.salt]))
  const withoutSeal = new Map<string, sql.Owner>(salted.map((one) => [keyOf(one), one]))
  await tx.rows(sql.openSeals)
  await tx.rows(sql.openPostings)
  const seals = reading(tx, sql.fetchSeals)
  const postings = reading(tx, sql.fetchPostings)
  const isUnsealed = ({ position }: sql.PostingRow): boolean => position >= mark.position
  const differs = (of: sql.Owner, what: string, said: string): void => {
    verdict.differences.push({ business_id: of.business_id, livemode: of.livemode, what, said })
  }
  for (let seal = await seals.next(), posting = await postings.next(); seal || posting; ) {
    const owner: sql.Owner = earlier(seal, posting)
    const salt = salts.get(keyOf(owner))
    const isOwn = (row: sql.Owner | null): boolean =>
      row !== null && row.business_id === owner.business_id && row.livemode === owner.livemode
    let sound = true
    const first = (what: string, said: string): void => {
      if (sound) differs(owner, what, said)
      sound = false
    }
    let last: sql.SealRow | null = null
    if (seal && isOwn(seal)) {
      verdict.chains++
      withoutSeal.delete(keyOf(owner))
    }
    for (; seal && isOwn(seal); seal = await seals.next()) {
      const { through_position, through_id } = seal
      const held: sql.PostingRow[] = []
      for (; posting && isOwn(posting); posting = await postings.next()) {
        const { position, id }: sql.PostingRow = posting
        if (position > through_position || (position === through_position && id > through_id)) break
        held.push(posting)
      }
      verdict.seals++
      const broken = brokenLink(seal, last)
      if (broken) first(`seal ${seal.number} of ${seal.day}`, broken)
      last = seal
      if (sound && (from === null || seal.day >= from)) {
        verdict.postings += held.length
        if (salt === undefined) first('the salt', 'is missing')
        else {
          const found = held.map((row) => ({ id: row.id, leaf: leafOfPosting(salt, row), row }))
          const odd = firstOdd(keptIn(seal.leaves), found)
          if (odd) first(`posting ${odd.id}`, `${odd.said} (seal ${seal.number} of ${seal.day})`)
          else if (!rootOf(found.map(({ leaf }) => leaf)).equals(seal.root))
            first(`seal ${seal.number} of ${seal.day}`, 'has another root than its postings')
        }
      }
    }
    for (; posting && isOwn(posting); posting = await postings.next())
      if (isUnsealed(posting)) verdict.unsealed++
      else first(`posting ${posting.id}`, 'was inserted: it is in no seal')
    if (!sound) withoutSeal.delete(keyOf(owner))
  }
  // A salt is made with the first seal. Salts of test mode are deleted when test data are emptied.
  for (const owner of withoutSeal.values())
    if (owner.livemode) differs(owner, 'the chain', 'is missing: no seal is left of it')
}

/** Reads a cursor row by row, in pages. */
function reading<Row>(tx: Tx, fetch: Statement<Row>): { next(): Promise<Row | null> } {
  let page: Row[] = []
  let at = 0
  return {
    async next() {
      if (at === page.length) {
        page = await tx.rows(fetch)
        at = 0
      }
      return page[at++] ?? null
    },
  }
}

/** Returns the one that comes first in chain order. */
function earlier(seal: sql.SealRow | null, posting: sql.PostingRow | null): sql.Owner {
  if (seal === null || posting === null) return (seal ?? posting) as sql.Owner
  if (seal.business_id !== posting.business_id)
    return seal.business_id < posting.business_id ? seal : posting
  return seal.livemode ? posting : seal
}

/** Returns why a seal does not follow its predecessor or has a wrong hash; null if it is right. */
function brokenLink(seal: sql.SealRow, before: sql.SealRow | null): string | null {
  if (seal.number !== (before?.number ?? 0n) + 1n)
    return `does not follow seal ${before?.number ?? 0}`
  if (!seal.previous.equals(before?.hash ?? nothing))
    return 'does not name the hash of the one before'
  if (!hashOfSeal(seal).equals(seal.hash)) return 'has another hash than what it says'
  return null
}

/** Returns the first posting that differs from its seal. */
function firstOdd(
  kept: readonly Kept[],
  found: readonly (Kept & { row: sql.PostingRow })[],
): { id: bigint; said: string } | null {
  const now = new Set(found.map(({ id }) => id))
  const then = new Set(kept.map(({ id }) => id))
  for (let i = 0; i < Math.max(kept.length, found.length); i++) {
    const [was, is] = [kept[i], found[i]]
    if (was && is && was.id === is.id) {
      if (!was.leaf.equals(is.leaf)) return { id: is.id, said: 'was changed' }
    } else if (is && !then.has(is.id)) return { id: is.id, said: 'was inserted' }
    else if (was && !now.has(was.id)) return { id: was.id, said: 'is missing' }
    else return { id: (is ?? (was as Kept)).id, said: 'was moved' }
  }
  return null
}

async function verifyProofs(
  tx: Tx,
  from: string | null,
  verdict: ChainVerdict,
  cell: string,
): Promise<void> {
  const mark = (await tx.row(sql.selectBookmark)) as sql.Bookmark
  const unkept = Number((await tx.row(sql.countUnkept))?.unkept ?? 0n)
  const keys = new Map((await tx.rows(sql.selectKeys)).map((key) => [key.id, key.public_key]))
  const differs = (day: string, said: string): void => {
    verdict.differences.push({
      business_id: null,
      livemode: null,
      what: `the proof of ${day}`,
      said,
    })
  }
  let last: sql.ProofRow | null = null
  for (;;) {
    const page: sql.ProofRow[] = await tx.rows(sql.selectProofsAfter, [last?.day ?? '-infinity'])
    if (page.length === 0) break
    for (const proof of page) {
      verdict.days++
      const due = last === null ? proof.day : dayAfter(last.day, 1)
      const previous = last === null ? nothing : sha256(textOfProof(last))
      last = proof
      const kept = { live: hashesIn(proof.live_leaves), test: hashesIn(proof.test_leaves) }
      if (proof.day !== due) differs(due, 'is missing')
      else if (!proof.previous.equals(previous))
        differs(proof.day, 'does not name that of the day before')
      else if (!rootOfDay(kept.live, kept.test).equals(proof.root))
        differs(proof.day, 'has another root than its leaves')
      else if (
        proof.signature &&
        !isSignedBy(keys.get(proof.key_id as string), textOfProof(proof), proof.signature)
      )
        differs(proof.day, 'is not signed by its key')
      else if (from === null || proof.day >= from)
        for (const said of await oddLeaves(
          tx,
          proof.day,
          kept,
          proof.cell === cell ? unkept : Number.POSITIVE_INFINITY,
        ))
          verdict.differences.push(said)
    }
  }
  if (mark.day === null || last === null) return
  const due = dayAfter(last.day, 1)
  if (due < mark.day) differs(due, 'is missing')
  if (due > mark.day) differs(mark.day, 'is made, and sealing was set back to that day')
}

/**
 * Returns the chains that are not in the proof of a day. Test chains may be missing, because test
 * data can be emptied.
 * @param elsewhere how many live chains may be in another database without stored leaves
 */
async function oddLeaves(
  tx: Tx,
  day: string,
  kept: { live: Buffer[]; test: Buffer[] },
  elsewhere: number,
): Promise<ChainDifference[]> {
  const now = await leavesOf(tx, day)
  const odd: ChainDifference[] = []
  for (const mode of ['live', 'test'] as const) {
    const proven = new Set(kept[mode].map((leaf) => leaf.toString('hex')))
    for (const { leaf, owner } of now[mode])
      if (!proven.has(leaf.toString('hex')))
        odd.push({ ...owner, what: `the seals of ${day}`, said: 'are not those of its proof' })
  }
  const moved = new Set(
    (await tx.rows(sql.selectMoved, [day])).map(({ leaf }) => leaf.toString('hex')),
  )
  for (const { leaf } of now.live) moved.delete(leaf.toString('hex'))
  const gone = kept.live.filter((leaf) => !moved.has(leaf.toString('hex'))).length - now.live.length
  if (gone > elsewhere)
    odd.push({
      business_id: null,
      livemode: true,
      what: `the proof of ${day}`,
      said: `has ${gone} chains more than there are${moved.size > 0 ? ', here and of those that have moved' : ''}`,
    })
  return odd
}
