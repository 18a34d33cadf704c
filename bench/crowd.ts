/**
 * Clients that keep a pace, whether they are answered or not, as people do and wrk does not; and
 * clients that ask again as soon as they were answered.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newSockets } from '../test/support/sockets.ts'
import { type Owner, payout } from './load.ts'

export type Sample = { ms: number; status: number; retryAfter: boolean }

/**
 * What was measured for some time. @property unsent requests that were due while too many waited
 * for an answer
 */
export type Measured = { seconds: number; samples: Sample[]; unsent: number }

export type Crowd = {
  /** So many, each again as soon as it was answered. */
  inTurn(clients: number, seconds: number): Promise<Measured>
  /** So many a second. */
  atPace(perSecond: number, seconds: number): Promise<Measured>
  /** Payouts that were answered with 201. */
  created(): number
  close(): void
}

/**
 * Who waits for an answer at most: more would run out of the machine's ports, and say nothing new.
 */
const mostWaiting = 5_000
const tickMs = 10

/**
 * @param writes the share of payouts, each with a key; the rest reads a wallet, or verifies a
 * transaction
 */
export function newCrowd(
  url: string,
  owners: Owner[],
  { writes, name }: { writes: number; name: string },
): Crowd {
  const sockets = newSockets(url)
  let n = 0
  let created = 0

  async function ask(samples: Sample[]): Promise<void> {
    n++
    const owner = owners[n % owners.length] as Owner
    const share = (n * 7919) % 1_000
    const path =
      share < writes * 1_000
        ? '/payouts'
        : share % 2
          ? '/wallets?currency=ngn'
          : `/transactions/${owner.transaction}/verify`
    const isWrite = path === '/payouts'
    const reference = `${name}-${n}`
    const began = performance.now()
    const headers = {
      authorization: `Bearer ${owner.key}`,
      ...(isWrite ? { 'content-type': 'application/json', 'idempotency-key': reference } : {}),
    }
    const body = isWrite ? JSON.stringify({ reference, ...payout }) : ''
    const { status, retryAfter } = await sockets.ask(isWrite ? 'POST' : 'GET', path, headers, body)
    if (status === 201) created++
    samples.push({ ms: performance.now() - began, status, retryAfter })
  }

  return {
    async inTurn(clients, seconds) {
      const samples: Sample[] = []
      const began = performance.now()
      const client = async (): Promise<void> => {
        while (performance.now() - began < seconds * 1_000) await ask(samples)
      }
      await Promise.all(Array.from({ length: clients }, client))
      return { seconds: (performance.now() - began) / 1_000, samples, unsent: 0 }
    },
    async atPace(perSecond, seconds) {
      const samples: Sample[] = []
      const waiting = new Set<Promise<void>>()
      let unsent = 0
      let sent = 0
      const began = performance.now()
      for (let at = 0; at < seconds * 1_000; at = performance.now() - began) {
        for (const due = (at / 1_000) * perSecond; sent < due; sent++) {
          if (waiting.size >= mostWaiting) {
            unsent++
            continue
          }
          const one: Promise<void> = ask(samples).finally(() => waiting.delete(one))
          waiting.add(one)
        }
        await sleep(tickMs)
      }
      await Promise.all(waiting)
      return { seconds, samples, unsent }
    },
    created: () => created,
    close: () => sockets.close(),
  }
}

/**
 * The time within which so much of what was done was answered, in milliseconds; of what was
 * refused, nothing counts.
 */
export function quantile({ samples }: Measured, share: number): number {
  const all = samples
    .filter(({ status }) => status < 300)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b)
  return all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN
}
