/**
 * The proof of a day: a root over the chains of all businesses, which names the proof of the day
 * before, and is signed.
 */
import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { App } from '../../core/app.ts'
import type { Queryable, Tx } from '../../db/db.ts'
import { dayAfter } from '../../lib/days.ts'
import { nodeOf, rootOf } from '../../lib/merkle.ts'
import { sha256 } from '../../lib/secrets.ts'
import { hashesIn, leafOfDay } from './chains.ts'
import { nothing, proofText } from './forms.ts'
import * as sql from './sql.ts'

/** What a proof says, as it is signed. */
export const textOfProof = ({ cell, day, root, previous }: sql.ProofRow): string =>
  proofText({ cell, day, root: root.toString('hex'), previous: previous.toString('hex') })

/** What a business and mode has in the tree of a day. */
export type DayLeaf = { leaf: Buffer; owner: sql.Owner }

/**
 * The leaves of a day in both modes, in the order of their bytes: their places say nothing of whose
 * they are.
 */
export async function leavesOf(
  db: Queryable,
  day: string,
): Promise<{ live: DayLeaf[]; test: DayLeaf[] }> {
  const leaves = (await db.rows(sql.selectDay, [day])).map(
    ({ business_id, livemode, salt, hashes }): DayLeaf => {
      const owner = { business_id, livemode }
      return { owner, leaf: leafOfDay(owner, salt, day, hashesIn(hashes)) }
    },
  )
  const of = (livemode: boolean): DayLeaf[] =>
    leaves
      .filter(({ owner }) => owner.livemode === livemode)
      .sort((a, b) => Buffer.compare(a.leaf, b.leaf))
  return { live: of(true), test: of(false) }
}

/** The root of a day: over that of live mode and that of test mode. */
export const rootOfDay = (live: readonly Buffer[], test: readonly Buffer[]): Buffer =>
  nodeOf(rootOf(live), rootOf(test))

/**
 * Makes the proofs of the days from `first` on, before `day`: also of one on which nothing was
 * sealed.
 */
export async function closeDays(
  tx: Tx,
  { clock, config }: Pick<App, 'clock' | 'config'>,
  first: string,
  day: string,
): Promise<void> {
  if (first >= day) return
  const last = await tx.row(sql.selectLastProof)
  let previous = last ? sha256(textOfProof(last)) : nothing
  for (let closed = first; closed < day; closed = dayAfter(closed, 1)) {
    const leaves = await leavesOf(tx, closed)
    const [live, test] = [leaves.live.map(({ leaf }) => leaf), leaves.test.map(({ leaf }) => leaf)]
    const root = rootOfDay(live, test)
    const cell = config.CELL
    await tx.rows(sql.insertProof, [
      closed,
      cell,
      root,
      previous,
      Buffer.concat(live),
      Buffer.concat(test),
      clock.now(),
    ])
    const said = {
      cell,
      day: closed,
      root: root.toString('hex'),
      previous: previous.toString('hex'),
    }
    previous = sha256(proofText(said))
  }
}

/** Signs the proofs that are not yet, where there is a key. */
export async function signProofs(tx: Tx, { config }: Pick<App, 'config'>): Promise<void> {
  const key = config.PROOF_KEY
  if (key === null) return
  const unsigned = await tx.rows(sql.selectUnsigned)
  if (unsigned.length === 0) return
  const id = keyId(publicBytes(key))
  await tx.rows(sql.insertKey, [id, publicBytes(key)])
  for (const proof of unsigned)
    await tx.rows(sql.sign, [proof.day, id, sign(null, Buffer.from(textOfProof(proof)), key)])
}

/** The 32 bytes of an Ed25519 public key: the end of what any such key is written as (RFC 8410). */
const publicBytes = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)

/** What a key is called. */
export const keyId = (bytes: Buffer): string => sha256(bytes).toString('hex').slice(0, 16)
