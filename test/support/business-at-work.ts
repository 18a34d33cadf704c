/**
 * A business whose cell moves: it pays out as long as it is not stopped, and reads its stream, as
 * an integrator does both.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventStream, openStream } from './event-stream.ts'
import { bankPayout, type Call, type Json, listAll, makeCall, must, until } from './harness.ts'
import type { Receiver } from './receiver.ts'

export class Business {
  readonly answered = new Set<string>()
  readonly odd: unknown[] = []
  readonly streamed: string[] = []
  /**
   * The longest that an answer took, and the codes of answers of 503, since they were looked at
   * last.
   */
  slowest = 0
  unavailable: (string | undefined)[] = []
  private asked = 0
  private stopped = false
  private running: Promise<void>[] = []
  private place: string | undefined
  private stream: EventStream | null = null
  readonly url: string
  readonly key: string
  readonly id: string
  readonly call: Call

  constructor(url: string, { test_key: key, business }: Json) {
    Object.assign(this, { url, key, id: business.id })
    this.url = url
    this.key = key
    this.id = business.id
    this.call = makeCall(url, key)
  }

  work(): void {
    this.running = [...Array.from({ length: 3 }, () => this.pay()), this.listen()]
  }

  private async pay(): Promise<void> {
    while (!this.stopped) {
      const reference = `p-${this.asked++}`
      while (!this.answered.has(reference)) {
        const began = performance.now()
        const answer = await this.call('POST', '/payouts', bankPayout(reference, 10_000), {
          'idempotency-key': reference,
        }).catch(() => null)
        this.slowest = Math.max(this.slowest, performance.now() - began)
        if (answer?.status === 201) this.answered.add(reference)
        else if (answer === null || answer.status === 503) {
          this.unavailable.push(answer ? answer.code : 'no answer')
          await sleep(100)
        } else return void this.odd.push([reference, answer.status, answer.body])
      }
      await sleep(20)
    }
  }

  private async listen(): Promise<void> {
    while (!this.stopped)
      try {
        this.stream = await openStream(
          this.url,
          this.key,
          this.place === undefined ? { after: '0' } : { place: this.place },
        )
        await Promise.race([this.stream.ended, until(async () => this.stopped, 3_600_000)])
        this.keep()
      } catch {
        await sleep(200)
      }
  }

  private keep(): void {
    this.place = this.stream?.place() || this.place
    this.streamed.push(...(this.stream?.events.map(({ body }) => body.id) ?? []))
  }

  stop(): void {
    this.stopped = true
  }

  async more(count: number): Promise<void> {
    const enough = this.answered.size + count
    await until(async () => this.answered.size >= enough || this.odd.length > 0, 60_000)
    assert.deepEqual(this.odd, [])
  }

  /**
   * Asks again where it is told to: a machine that is busy can make a cell look down for a moment.
   */
  private readonly patient: Call = async (...asked) => {
    for (;;) {
      const answer = await this.call(...asked)
      if (answer.status !== 503) return answer
      await sleep(100)
    }
  }

  /** Stops, and holds all that it was told against each other. */
  async settle(receiver: Receiver): Promise<void> {
    this.stopped = true
    await this.stream?.close()
    await Promise.all(this.running)
    assert.deepEqual(this.odd, [])
    const payouts = await until(async () => {
      const docs = await listAll(this.patient, '/payouts')
      return docs.every(({ status }) => status === 'completed') ? docs : null
    }, 60_000)
    assert.deepEqual(payouts.map(({ reference }) => reference).sort(), [...this.answered].sort())
    const events = (await listAll(this.patient, '/events')).map(({ id }) => id as string)
    const told = (): Set<string> =>
      new Set(receiver.requests.map(({ headers }) => headers['x-event-id'] as string))
    await until(async () => events.every((id) => told().has(id)), 60_000)
    const rest = await openStream(this.url, this.key, { place: this.place as string })
    const all = (): string[] => [...this.streamed, ...rest.events.map(({ body }) => body.id)]
    await until(async () => all().length >= events.length, 30_000)
    await rest.close()
    assert.deepEqual(all().sort(), events.sort(), 'each event is streamed once')
    const { docs } = await must(this.patient('GET', '/transactions?limit=1'))
    const { available } = (await must(this.patient('GET', '/wallets?currency=ngn')))[0]
    assert.equal(docs.length, 1)
    const spent = payouts.reduce((sum, { amount }) => sum + amount, 0)
    assert.equal(available, 9_000_000_000 - spent)
  }
}
