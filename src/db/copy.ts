/**
 * Moves rows by COPY, which the driver does not support. See
 * https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-COPY
 */
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type pg from 'pg'

/** The number of copied rows and the checksum of their text. */
export type Copied = { rows: number; sha256: string }

/** The parts of the driver's connection that a query object may use. */
type Wire = {
  stream: Duplex
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** The approximate chunk size: sending rows one by one would wake the receiver for each. */
const chunkBytes = 256 * 1024

/** Submits a COPY query and returns the number of rows that it copied. */
function runCopy(
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
 * Reads the output of a `COPY … TO STDOUT`.
 * @param onBytes reports how many more bytes have arrived
 * @param take receives each chunk and may pause its source
 */
function copyOut(
  client: pg.Client,
  text: string,
  onBytes: (bytes: number) => void,
  take: (rows: Buffer, from: Duplex) => void = () => {},
): Promise<Copied> {
  const hash = createHash('sha256')
  let chunks: Buffer[] = []
  let bytes = 0
  let from: Duplex | null = null
  const flush = (): void => {
    if (bytes === 0) return
    const rows = Buffer.concat(chunks, bytes)
    hash.update(rows)
    onBytes(bytes)
    chunks = []
    bytes = 0
    take(rows, from as Duplex)
  }
  return runCopy(client, text, {
    handleCopyData({ chunk }: { chunk: Buffer }, wire: Wire) {
      from = wire.stream
      // The driver reuses its buffer.
      chunks.push(Buffer.from(chunk))
      bytes += chunk.length
      if (bytes >= chunkBytes) flush()
    },
  }).then((rows) => {
    flush()
    return { rows, sha256: hash.digest('hex') }
  })
}

/**
 * Reads and counts rows without keeping them.
 * @param text a `COPY … TO STDOUT`
 */
export const readRows = (
  client: pg.Client,
  text: string,
  onBytes: (bytes: number) => void = () => {},
) => copyOut(client, text, onBytes)

/**
 * Copies rows from one session to another. After an error both sessions are unusable.
 * @param out a `COPY … TO STDOUT`
 * @param into a `COPY … FROM STDIN`
 * @throws {Error} of either side, or if their numbers of rows differ
 */
export async function copyRows(
  from: { client: pg.Client; out: string },
  to: { client: pg.Client; into: string },
  onBytes: (bytes: number) => void,
): Promise<Copied> {
  let onCopyIn: (wire: Wire) => void
  const ready = new Promise<Wire>((resolve) => {
    onCopyIn = resolve
  })
  const written = runCopy(to.client, to.into, {
    handleCopyInResponse: (wire: Wire) => onCopyIn(wire),
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
