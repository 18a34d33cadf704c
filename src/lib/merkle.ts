/**
 * Merkle trees with SHA-256 as in RFC 6962: leaves are hashed with prefix 0, inner nodes with
 * prefix 1, so that neither can pass for the other.
 */
import { sha256 } from './secrets.ts'

const leafPrefix = Buffer.from([0])
const nodePrefix = Buffer.from([1])

/** A sibling hash on the path to the root. */
export type Step = { side: 'left' | 'right'; hash: Buffer }

export const leafOf = (data: string): Buffer =>
  sha256(Buffer.concat([leafPrefix, Buffer.from(data)]))

export const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer =>
  sha256(Buffer.concat([nodePrefix, left, right]))

/**
 * Returns the levels of the tree, from the leaves to the root. An odd node at the end of a level
 * moves up unchanged.
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

/** Returns the root over leaves; without leaves, the hash of the empty text. */
export const rootOf = (leaves: readonly Buffer[]): Buffer =>
  levelsOf(leaves).at(-1)?.[0] ?? sha256('')

/**
 * Returns the path from a leaf to the root.
 * @param index the position of the leaf, from 0
 */
export function pathOf(leaves: readonly Buffer[], index: number): Step[] {
  let at = index
  return levelsOf(leaves).flatMap((level): Step[] => {
    const beside = level[at ^ 1]
    const side = at % 2 === 0 ? 'right' : 'left'
    at >>= 1
    return beside && level.length > 1 ? [{ side, hash: beside }] : []
  })
}

/** Returns the root to which a path leads. */
export const climb = (leaf: Buffer, path: readonly Step[]): Buffer =>
  path.reduce(
    (hash, step) => (step.side === 'left' ? nodeOf(step.hash, hash) : nodeOf(hash, step.hash)),
    leaf,
  )
