/** The public part of the proofs, which names no business. */
import type { App } from '../../core/app.ts'
import { startOfDay } from '../../lib/days.ts'
import { refuse } from '../../lib/errors.ts'
import type { Static } from '../../lib/schema.ts'
import type { ProofKeyRecord, ProofOfDay } from './schema.ts'
import * as sql from './sql.ts'

/** Returns the signing keys, first one first. */
export async function listKeys({ db }: Pick<App, 'db'>): Promise<Static<typeof ProofKeyRecord>[]> {
  const keys = await db.rows(sql.selectKeys)
  return keys.map(({ public_key, ...key }) => ({
    ...key,
    public_key: public_key.toString('base64'),
  }))
}

/**
 * Returns the proof of a day of this cell.
 * @throws {Refusal} `not_found`
 */
export async function proofOf(
  { db, config }: Pick<App, 'db' | 'config'>,
  day: string,
): Promise<Static<typeof ProofOfDay>> {
  if (!isDay(day)) refuse('not_found', 'A proof is of a day, such as /proofs/2026-11-20.')
  const row = await db.row(sql.selectProof, [day])
  const signed = row && signedPart(row)
  // A business that was split off brought the proofs of its former cell.
  if (row && row.cell !== config.CELL)
    refuse('not_found', `This cell has no proof of ${day}: cell ${row.cell} has.`)
  if (signed) return { day, cells: [signed], missing: [], absent: [], unavailable: [] }
  if (config.PROOF_KEY === null)
    refuse('not_found', 'This server signs no proofs: its operator sets PROOF_KEY for that.')
  const mark = await db.row(sql.selectBookmark)
  if (!row && mark?.day && day < mark.day)
    refuse('not_found', `There is no proof of ${day}: what was posted then was sealed later.`)
  return { day, cells: [], missing: [config.CELL], absent: [], unavailable: [] }
}

/** Returns the signed text of a proof and its key; null if it is not signed yet. */
export function signedPart({ cell, root, previous, key_id: key, signature }: sql.ProofRow) {
  if (key === null || signature === null) return null
  return {
    cell,
    key,
    root: root.toString('hex'),
    previous: previous.toString('hex'),
    signature: signature.toString('base64'),
  }
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  try {
    startOfDay(text, 'UTC')
    return true
  } catch {
    return false
  }
}
