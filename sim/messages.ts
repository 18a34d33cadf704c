/**
 * The messages between the simulator and a process of the product: orders to cut its connections or
 * to kill it, and reports that this was done.
 */

/** The points of a request at which a process is killed. */
export const points = ['before it is sent', 'once it has left', 'as it is answered'] as const
export type Point = (typeof points)[number]

/**
 * What becomes of one COMMIT that does not just go through: it never arrives, or it arrives, and
 * the answer does not.
 */
export type CommitFate = { at: 'before' | 'after'; kill: boolean }

/** What becomes of a process at one point of its work. */
export type Fate = CommitFate | { point: Point }

/**
 * What a process is told: what becomes of it or of its next COMMIT, that its next statement is cut
 * in the middle, or all of its connections.
 */
export type Order = { fate: Fate | null } | { cut: 'next' | 'all' }
/** What it tells once that has come true, unless it is dead by then. */
export type Done = { fate: Fate } | { cut: 'next' | 'all'; connections: number }
