/**
 * Rows by COPY, from one database into another, or out of one to look at them: the driver has no
 * call of its own for it. See https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-COPY
 */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** What went by: how many rows, and the checksum of their text. */
export type Copied = { rows: number; sha256: string }

/** What a query of the driver can do with its connection. */
type Wire = {
  stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Rows are sent in chunks of about this much: one by one, each would wake the other side. */
const chunkBytes = 256 * 1024

/** A query of the driver that ends with how many rows it copied. */
function copying(
  client: pg.Client,
  text: string,
  more: Record<string, (...given: never[]) => void>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    client.query({
      submit: (wire: unknown) => (wire as Wire).query(text),
      handleCommandComplete: (said: { text: string }) => {
        rows = Number(/^COPY (\d+)$/.exec(said.text)?.[1])
      },
      handleReadyForQuery: () => resolve(rows),
      handleError: reject,
      ...more,
    } as pg.Submittable)
  })
}

/**
 * Reads what a `COPY … TO STDOUT` gives.
 * @param onBytes is given how many more have come
 * @param take is given them; says whether it wants more now, and `resume` is called once it does
 */
function copyOut(
  client: pg.Client,
  text: string,
  onBytes: (bytes: number) => void,
  take: (rows: Buffer, from: Duplex) => void = () => {},
): Promise<Copied> {
  const hash = createHash('sha256')
  let held: Buffer[] = []
  let bytes = 0
  let from: Duplex | null = null
  const flush = (): void => {
    if (bytes === 0) return
    const rows = Buffer.concat(held, bytes)
    hash.update(rows)
    onBytes(bytes)
    held = []
    bytes = 0
    take(rows, from as Duplex)
  }
  return copying(client, text, {
    handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire) {
      from = wire.stream
      // The driver uses its buffer again.
      held.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes >= chunkBytes) flush()
    },
  }).then((rows) => {
    flush()
    return { rows, sha256: hash.digest('hex') }
  })
}

/** Reads rows, and keeps nothing of them. @param text a `COPY … TO STDOUT` */
export const readRows = (
  client: pg.Client,
  text: string,
  onBytes: (bytes: number) => void = () => {},
) => copyOut(client, text, onBytes)

/**
 * Copies rows from one session to another. Where it fails, both are of no use any more.
 * @param out a `COPY … TO STDOUT`
 * @param into a `COPY … FROM STDIN`
 * @throws {Error} of either side, or when one has other rows than the other
 */
export async function copyRows(
  from: { client: pg.Client; out: string },
  to: { client: pg.Client; into: string },
  onBytes: (bytes: number) => void,
): Promise<Copied> {
  let begun: (wire: Wire) => void
  const ready = new Promise<Wire>((resolve) => {
    begun = resolve
  })
  const written = copying(to.client, to.into, {
    handleCopyInResponse: (wire: Wire) => begun(wire),
  })
  const send = async (): Promise<Copied> => {
    const wire = await ready
    const copied = await copyOut(from.client, from.out, onBytes, (rows, source) => {
      wire.sendCopyFromChunk(rows)
      if (!wire.stream.writableNeedDrain || source.isPaused()) return
      source.pause()
      wire.stream.once('drain', () => source.resume())
    })
    wire.endCopyFrom()
    return copied
  }
  const [copied, rows] = await Promise.all([send(), written])
  if (copied.rows !== rows) throw new Error(`${rows} of ${copied.rows} rows arrived: ${to.into}`)
  return copied
}
