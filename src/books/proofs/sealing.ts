/**
 * Seals what was posted, in order, off the hot path: a periodic task reads what can no longer
 * change its place, and writes a row for each batch of a business and mode.
 */
import { randomBytes } from 'node:crypto'
import type { App } from '../../core/app.ts'
import { awaitTestData } from '../../core/test-data.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { assertClocksAgree } from '../../db/same-time.ts'
import { dayOf } from '../../lib/days.ts'
import { rootOf } from '../../lib/merkle.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { foldPostingsOf } from '../statements/statements.ts'
import { hashOfSeal, keep, keyOf, leafOfPosting, mostPostings } from './chains.ts'
import { closeDays, signProofs } from './days.ts'
import { nothing } from './forms.ts'
import * as sql from './sql.ts'

type Sealer = Pick<App, 'db' | 'clock' | 'config'>

/**
 * How many positions, or ids of old postings, a transaction seals: a position may have a hundred,
 * and streams of events wait for its end.
 */
const positionsAtOnce = 500n
/** How often what was posted is sealed, and how long a task goes on where there is much of it. */
const sealEveryMs = 60_000
const goOnMs = 500

/**
 * Seals what can be sealed, in transactions of their own, and makes the proofs of days that are
 * over. What writes just now waits for the next time.
 * @param forMs begins no more once it has lasted so long
 * @returns whether there may be more
 */
export async function sealPostings(
  app: Sealer,
  forMs = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  const startedAt = performance.now()
  await foldPostingsOf(app.db)
  for (;;) {
    const more = await transaction(app.db, (tx) => sealNext(tx, app))
    if (!more || performance.now() - startedAt > forMs) return more
  }
}

/** A minute or so after it was committed, a posting is sealed. */
export function sealingTask(app: Sealer): PeriodicTask {
  let next = Number.NEGATIVE_INFINITY
  return {
    name: 'seal postings',
    everyMs: 1_000,
    async run() {
      if (performance.now() < next) return
      const more = await sealPostings(app, goOnMs)
      next = more ? next : performance.now() + sealEveryMs
    },
  }
}

/** @returns whether there may be more */
async function sealNext(tx: Tx, app: Sealer): Promise<boolean> {
  const mark = await tx.row(sql.lockBookmark)
  const settled = (await tx.row(sql.selectSettled))?.position
  if (mark === null || settled === undefined) return false
  const now = app.clock.now()
  const today = dayOf(now, 'UTC')
  // A clock that goes back opens no day again.
  const day = mark.day === null || mark.day < today ? today : mark.day
  if (day !== mark.day) await assertClocksAgree(tx, app.clock)
  if (mark.day !== null) await closeDays(tx, app, mark.day, day)
  await signProofs(tx, app)

  const from = mark.position
  const to = smaller(from + positionsAtOnce, settled)
  const testers = await tx.rows(sql.selectTesters, [from, to])
  // What is being emptied is gone by then.
  await awaitTestData(
    tx,
    testers.map(({ business_id }) => business_id),
  )
  await tx.rows(sql.openWindow, [from, to])
  const count = await sealOpened(tx, day, now)
  // Once a backup was restored, positions may go on far above those that there are.
  const isGap = count === 0 && to < settled
  const sealed = isGap
    ? ((await tx.row(sql.selectFirst, [to, settled]))?.position ?? settled)
    : larger(from, to)
  await tx.rows(sql.moveBookmark, [sealed, day])
  return sealed < settled
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a < b ? b : a)

/**
 * Seals the postings that were opened, some at a time: however many there are, a server answers
 * meanwhile. @returns how many
 */
async function sealOpened(tx: Tx, day: string, now: Date): Promise<number> {
  let count = 0
  let held: sql.PostingRow[] = []
  for (;;) {
    const next = await tx.rows(sql.fetchSettled)
    count += next.length
    const postings = [...held, ...next]
    const more = next.length === sql.settledAtOnce
    // What may still fill a seal with those that follow.
    const rest = more ? chainLength(postings) % mostPostings : 0
    held = postings.splice(postings.length - rest)
    await writeSeals(tx, postings, day, now)
    if (!more) return count
  }
}

/** How many postings at the end are of one business and mode. */
function chainLength(postings: readonly sql.PostingRow[]): number {
  const last = postings.at(-1)
  return last
    ? postings.length - postings.findIndex((posting) => keyOf(posting) === keyOf(last))
    : 0
}

/** @param postings those of a business and mode stand together, in their order */
async function writeSeals(
  tx: Tx,
  postings: readonly sql.PostingRow[],
  day: string,
  now: Date,
): Promise<void> {
  if (postings.length === 0) return
  const chains = new Map<string, sql.PostingRow[]>()
  for (const posting of postings) {
    const chain = chains.get(keyOf(posting))
    if (chain) chain.push(posting)
    else chains.set(keyOf(posting), [posting])
  }
  const owners = [...chains.values()].map(([first]) => first as sql.PostingRow)
  const ids = owners.map((owner) => owner.business_id)
  const modes = owners.map((owner) => owner.livemode)
  await tx.rows(sql.insertSalts, [ids, modes, owners.map(() => randomBytes(32).toString('hex'))])
  const seals: sql.NewSeal[] = []
  for (const end of await tx.rows(sql.selectEnds, [ids, modes])) {
    const chain = chains.get(keyOf(end)) as sql.PostingRow[]
    let { number, hash } = { number: end.number ?? 0n, hash: end.hash ?? nothing }
    for (let at = 0; at < chain.length; at += mostPostings) {
      const batch = chain.slice(at, at + mostPostings)
      const kept = batch.map((row) => ({ id: row.id, leaf: leafOfPosting(end.salt, row) }))
      const last = batch.at(-1) as sql.PostingRow
      number += 1n
      const seal = {
        business_id: end.business_id,
        livemode: end.livemode,
        day,
        number,
        postings: batch.length,
        root: rootOf(kept.map(({ leaf }) => leaf)),
        previous: hash,
      }
      hash = hashOfSeal(seal)
      seals.push({
        ...seal,
        through_position: last.position,
        through_id: last.id,
        sealed_at: now,
        root: seal.root.toString('hex'),
        previous: seal.previous.toString('hex'),
        hash: hash.toString('hex'),
        leaves: keep(kept).toString('hex'),
      })
    }
  }
  await tx.rows(sql.insertSeals, sql.newSeals.arrays(seals))
}
