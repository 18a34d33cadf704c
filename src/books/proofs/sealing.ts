/**
 * Seals postings in order, off the hot path: a periodic task reads settled postings and writes one
 * row per batch of a business and mode.
 */

import { randomBytes } from 'node:crypto'
import type { App } from '../../core/app.ts'
import { awaitTestData } from '../../core/test-data.ts'
import { type Tx, transaction } from '../../db/db.ts'
import { assertClocksAgree } from '../../db/same-time.ts'
import { dayOf } from '../../lib/days.ts'
import { rootOf } from '../../lib/merkle.ts'
import { larger, smaller } from '../../lib/money.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { foldPostingsOf } from '../statements/statements.ts'
import { hashOfSeal, keep, keyOf, leafOfPosting, mostPostings } from './chains.ts'
import { closeDays, signProofs } from './days.ts'
import { nothing } from './forms.ts'
import * as sql from './sql.ts'

type Sealer = Pick<App, 'db' | 'clock' | 'config'>

/**
 * How many positions, or ids of old postings, a transaction seals. A position may have a hundred
 * postings, and event streams wait for the end of the transaction.
 */
const positionsAtOnce = 500n
/** How often postings are sealed, and how long the task runs at most while there is a backlog. */
const sealEveryMs = 60_000
const goOnMs = 500

/**
 * Seals settled postings, in separate transactions, and makes the proofs of past days. Postings of
 * open transactions wait for the next run.
 * @param forMs starts no further transaction after this time
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

/** A posting is sealed about a minute after its commit. */
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
  // A clock that goes back reopens no day.
  const day = mark.day === null || mark.day < today ? today : mark.day
  if (day !== mark.day) await assertClocksAgree(tx, app.clock)
  if (mark.day !== null) await closeDays(tx, app, mark.day, day)
  await signProofs(tx, app)

  const from = mark.position
  const to = smaller(from + positionsAtOnce, settled)
  const testers = await tx.rows(sql.selectTesters, [from, to])
  // Test data that are being emptied are gone afterwards.
  await awaitTestData(
    tx,
    testers.map(({ business_id }) => business_id),
  )
  await tx.rows(sql.openWindow, [from, to])
  const count = await sealOpened(tx, day, now)
  // After a restore, positions may continue far above the existing ones.
  const isGap = count === 0 && to < settled
  const sealed = isGap
    ? ((await tx.row(sql.selectFirst, [to, settled]))?.position ?? settled)
    : larger(from, to)
  await tx.rows(sql.moveBookmark, [sealed, day])
  return sealed < settled
}

/**
 * Seals the postings of the open cursor in chunks, so that the server stays responsive.
 * @returns how many
 */
async function sealOpened(tx: Tx, day: string, now: Date): Promise<number> {
  let count = 0
  let held: sql.PostingRow[] = []
  for (;;) {
    const next = await tx.rows(sql.fetchSettled)
    count += next.length
    const postings = [...held, ...next]
    const more = next.length === sql.settledAtOnce
    // Postings that later ones may still join in a seal.
    const rest = more ? chainLength(postings) % mostPostings : 0
    held = postings.splice(postings.length - rest)
    await writeSeals(tx, postings, day, now)
    if (!more) return count
  }
}

/** Returns how many postings at the end belong to one business and mode. */
function chainLength(postings: readonly sql.PostingRow[]): number {
  const last = postings.at(-1)
  return last
    ? postings.length - postings.findIndex((posting) => keyOf(posting) === keyOf(last))
    : 0
}

/** @param postings grouped by business and mode, in order */
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
