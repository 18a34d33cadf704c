/**
 * The proof of a day: a signed root over the chains of all businesses, linked to the proof of the
 * previous day.
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

/** Returns the text of a proof, as it is signed. */
export const textOfProof = ({ cell, day, root, previous }: sql.ProofRow): string =>
  proofText({ cell, day, root: root.toString('hex'), previous: previous.toString('hex') })

/** The leaf of a business and mode in the tree of a day. */
export type DayLeaf = { leaf: Buffer; owner: sql.Owner }

/**
 * Returns the leaves of a day in both modes, sorted by bytes so that their places reveal no owner.
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

/** Returns the root of a day over the roots of live and test mode. */
export const rootOfDay = (live: readonly Buffer[], test: readonly Buffer[]): Buffer =>
  nodeOf(rootOf(live), rootOf(test))

/** Creates the proofs of the days from `first` and before `day`, including days without seals. */
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

/** Signs unsigned proofs, if there is a key. */
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

/** Returns the 32 bytes of an Ed25519 public key, which end its DER form (RFC 8410). */
const publicBytes = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32)

/** Returns the id of a key. */
export const keyId = (bytes: Buffer): string => sha256(bytes).toString('hex').slice(0, 16)
