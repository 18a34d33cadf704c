/**
 * A client of `GET /events/stream` as an integrator would run one: it goes on from its last cursor
 * whenever it is cut, for the whole run.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openStream, type Streamed } from '../test/support/event-stream.ts'

export type Follower = {
  /** Ids of events in the order in which they came. */
  order: string[]
  /** How often each came. */
  times: Map<string, number>
  /** How often it was cut, and began anew. */
  cuts(): number
  /** Where it is, to go on from there. */
  place(): string | null
  stop(): Promise<void>
}

/** @param from where it begins; null: at the first event there is */
export function follow(
  apis: () => string[],
  key: () => string,
  pick: () => number,
  from: string | null = null,
): Follower {
  const follower = { order: [] as string[], times: new Map<string, number>() }
  let place = from
  let cuts = -1
  let stopped = false
  let close = async (): Promise<void> => {}
  const take = ({ place: at, body }: Streamed): void => {
    place = at
    follower.order.push(body.id)
    follower.times.set(body.id, (follower.times.get(body.id) ?? 0) + 1)
  }
  const run = async (): Promise<void> => {
    while (!stopped) {
      const urls = apis()
      try {
        const stream = await openStream(
          urls[pick() % urls.length] as string,
          key(),
          place === null ? { after: '0' } : { place },
        )
        cuts++
        close = stream.close
        let over = false
        const ended = stream.ended.then(() => {
          over = true
        })
        let seen = 0
        const drain = (): void => {
          for (; seen < stream.events.length; seen++) take(stream.events[seen] as Streamed)
        }
        while (!over && !stopped) {
          await Promise.race([ended, sleep(100)])
          drain()
        }
        await stream.close()
      } catch {
        // Nobody is there just now.
      }
      await sleep(100)
    }
  }
  const running = run()
  return {
    ...follower,
    cuts: () => Math.max(0, cuts),
    place: () => place,
    async stop() {
      stopped = true
      await close()
      await running
    },
  }
}
