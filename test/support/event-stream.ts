/**
 * A client of `GET /events/stream`, which keeps what it gets.
 */

export type Streamed = {
  place: string
  body: { id: string; type: string; payload: Record<string, unknown> }
}

export type EventStream = {
  status: number
  events: Streamed[]
  /** What it would send as `Last-Event-ID`. */
  place(): string
  /** How it ended: in order by the server, or cut off (as by `close`). */
  ended: Promise<'in order' | 'cut off'>
  close(): Promise<void>
}

/** Opens a stream and waits for its first bytes. */
export async function openStream(
  url: string,
  key: string,
  { place, after }: { place?: string; after?: string } = {},
): Promise<EventStream> {
  const gone = new AbortController()
  const response = await fetch(
    `${url}/events/stream${after === undefined ? '' : `?after=${after}`}`,
    {
      headers: {
        authorization: `Bearer ${key}`,
        ...(place === undefined ? {} : { 'last-event-id': place }),
      },
      signal: gone.signal,
    },
  )
  const events: Streamed[] = []
  let last = place ?? ''
  let begun = (): void => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })
  const read = async (): Promise<'in order' | 'cut off'> => {
    let rest = ''
    try {
      for await (const text of (response.body as ReadableStream<Uint8Array>).pipeThrough(
        new TextDecoderStream(),
      )) {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop() as string
        for (const block of blocks) {
          const id = /^id: (.*)$/m.exec(block)?.[1]
          const data = /^data: (.*)$/m.exec(block)?.[1]
          if (id !== undefined) last = id
          if (data !== undefined) events.push({ place: last, body: JSON.parse(data) })
        }
        begun()
      }
      return 'in order'
    } catch {
      return 'cut off'
    } finally {
      begun()
    }
  }
  const ended = read()
  await first
  return {
    status: response.status,
    events,
    place: () => last,
    ended,
    async close() {
      gone.abort()
      await ended
    },
  }
}
