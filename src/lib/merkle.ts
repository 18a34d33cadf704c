/**
 * Merkle trees of SHA-256 as in RFC 6962: a leaf is hashed behind a 0, two hashes behind a 1, so
 * that none can be taken for the other.
 */
import { sha256 } from './secrets.ts'

const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

/** What stands beside a hash on its way up to the root. */
export type Step = { side: 'left' | 'right'; hash: Buffer }

export const leafOf = (data: string): Buffer =>
  sha256(Buffer.concat([leafPrefix, Buffer.from(data)]))

export const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([nodePrefix, left, right]))

/**
 * The tree's levels, from the leaves to the root. One that is left over at the end of a level goes
 * up as it is.
 */
function levelsOf(leaves: readonly Buffer[]): (readonly Buffer[])[] {
  const levels = [leaves]
  for (let level = leaves; level.length > 1; levels.push(level))
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, i): Buffer => {
      const [left, right] = [level[2 * i] as Buffer, level[2 * i + 1]]
      return right ? nodeOf(left, right) : left
    })
  return levels
}

/** The root over leaves; of none, the hash of nothing. */
export const rootOf = (leaves: readonly Buffer[]): Buffer =>
  levelsOf(leaves).at(-1)?.[0] ?? sha256('')

/** How a leaf leads up to the root. @param index which leaf it is, from 0 on */
export function pathOf(leaves: readonly Buffer[], index: number): Step[] {
  let at = index
  return levelsOf(leaves).flatMap((level): Step[] => {
    const beside = level[at ^ 1]
    const side = at % 2 === 0 ? 'right' : 'left'
    at >>= 1
    return beside && level.length > 1 ? [{ side, hash: beside }] : []
  })
}

/** Where a path leads from a leaf. */
export const climb = (leaf: Buffer, path: readonly Step[]): Buffer =>
  path.reduce(
    (hash, step) => (step.side === 'left' ? nodeOf(step.hash, hash) : nodeOf(hash, step.hash)),
    leaf,
  )
