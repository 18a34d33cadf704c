/** Reads of a period in batches of bounded cost. */

const day = 86_400_000
const longestWindow = 64 * day

/**
 * Reads the rows of a period in batches, in the order of their times. A window of time bounds what
 * one statement sorts: it grows where there is little, and shrinks where there is much.
 * @param size the rows of a full batch
 * @param read returns the first rows from `from` up to `to`, after the row `after` of the time
 * `from`
 */
export async function* inWindows<Row extends { id: bigint; posted_at: Date }>(
  { from, to }: { from: Date; to: Date },
  size: number,
  read: (from: Date, to: Date, after: bigint) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let [at, after, windowMs] = [from, -1n, day]
  while (at < to) {
    const until = new Date(Math.min(at.getTime() + windowMs, to.getTime()))
    const rows = await read(at, until, after)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last && rows.length === size) {
      ;[at, after] = [last.posted_at, last.id]
      windowMs = Math.max(1_000, windowMs / 2)
    } else {
      ;[at, after] = [until, -1n]
      if (rows.length < size / 4) windowMs = Math.min(windowMs * 2, longestWindow)
    }
  }
}
