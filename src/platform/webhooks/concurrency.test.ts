import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConcurrencyLimits, type KnownEndpoint, type Place } from './concurrency.ts'

const at = (
  webhook_id: string,
  business_id = 'one',
  hangs: boolean | null = null,
): KnownEndpoint => ({
  business_id,
  livemode: false,
  webhook_id,
  hangs,
})
const endpoints = (count: number, name: string): KnownEndpoint[] =>
  Array.from({ length: count }, (_, i) => at(`${name}-${i}`, `${name}-${i % 100}`))

/** Ends a delivery of each place. */
function end(limits: ConcurrencyLimits, places: Place[], succeeded: boolean): void {
  for (const place of places) {
    limits.adjust(place, succeeded)
    limits.release(place)
  }
}

/** Has so many deliveries of an endpoint succeed one after the other. */
function prove(limits: ConcurrencyLimits, endpoint: KnownEndpoint, times = 1): void {
  for (let i = 0; i < times; i++) end(limits, limits.acquire(endpoint, 1), true)
}

const takeAll = (limits: ConcurrencyLimits, of: KnownEndpoint[]): Place[] =>
  of.flatMap((endpoint) => limits.acquire(endpoint, 256))

test('an endpoint’s limit grows with what succeeds, and falls with what does not', () => {
  const limits = new ConcurrencyLimits()
  const hook = at('a')
  const first = limits.acquire(hook, 100)
  assert.equal(first.length, 1)
  assert.equal(limits.acquire(hook, 100).length, 0)
  end(limits, first, true)
  const next = limits.acquire(hook, 100)
  assert.equal(next.length, 2)
  end(limits, next, true)
  prove(limits, hook, 100)
  const all = limits.acquire(hook, 100)
  assert.equal(all.length, 64, 'a raised limit is remembered while nothing is under way')
  end(limits, all, false)
  assert.equal(limits.acquire(hook, 100).length, 1)
})

test('a business shares what it may have, and takes nothing from another', () => {
  const limits = new ConcurrencyLimits()
  const hooks = Array.from({ length: 20 }, (_, i) => at(`hook-${i}`))
  for (const hook of hooks) prove(limits, hook, 100)
  const taken = takeAll(limits, hooks)
  assert.equal(taken.length, 128)
  assert.equal(limits.acquire(at('other', 'two'), 100).length, 1)
  end(limits, taken, true)
  assert.equal(limits.acquire(hooks[19] as KnownEndpoint, 100).length, 64)
})

test('endpoints that hang share a bounded number of places, which are none of those that take what comes', () => {
  const limits = new ConcurrencyLimits()
  const [good, dead] = [at('good', 'good'), endpoints(1_980, 'dead')]
  prove(limits, good, 100)
  // New ones get half of the places, until they are known to hang.
  const young = takeAll(limits, dead)
  assert.equal(young.length, 128)
  assert.equal(limits.acquire(good, 100).length, 64)
  for (const place of young) limits.markHanging(place)
  // Each of the hundred businesses has its share of two.
  const later = takeAll(limits, dead)
  assert.equal(later.length, 72)
  for (const place of later) limits.markHanging(place)
  assert.equal(takeAll(limits, dead).length, 0)
  end(limits, limits.acquire(at('new', 'new'), 100), true)
  end(limits, [...young, ...later], false)
  assert.equal(limits.hanging(), 0)
  // Once each was tried they have 256 places together.
  for (const endpoint of dead) {
    const places = limits.acquire(endpoint, 1)
    for (const place of places) limits.markHanging(place)
    end(limits, places, false)
  }
  assert.equal(takeAll(limits, dead).length, 256)
  assert.equal(limits.hanging(), 256)
  assert.equal(limits.acquire(at('other', 'other'), 100).length, 1)
})

test('a business that nobody knows yet is served within two rounds, though 99 others have 20 new endpoints each that hang', () => {
  const limits = new ConcurrencyLimits()
  const dead = Array.from({ length: 1_980 }, (_, i) =>
    at(`dead-${i}`, `dead-${Math.floor(i / 20)}`),
  )
  const last = at('new', 'new')
  const served: number[] = []
  for (let round = 1; round <= 3; round++) {
    const places = takeAll(limits, dead)
    served.push(...limits.acquire(last, 100).map(() => round))
    // Half a second later.
    for (const place of places) limits.markHanging(place)
  }
  assert.equal(served[0], 2)
})

test('an endpoint that hung is as others once a delivery ends within its time', () => {
  const limits = new ConcurrencyLimits()
  const hook = at('a')
  const end1 = (hangs: boolean, succeeded: boolean): string => {
    const [place] = limits.acquire(hook, 1) as [Place]
    const { pool } = place
    if (hangs) limits.markHanging(place)
    end(limits, [place], succeeded)
    return pool
  }
  assert.equal(end1(true, false), 'unproven')
  assert.equal(end1(false, false), 'hanging')
  assert.equal(end1(true, true), 'unproven')
  assert.equal(end1(false, false), 'proven')
})

test('limits that are made anew begin with what was recorded of endpoints, and say what is to be recorded', () => {
  const limits = new ConcurrencyLimits()
  const dead = endpoints(1_980, 'dead').map((one) => ({ ...one, hangs: true }))
  const held = takeAll(limits, dead)
  assert.equal(held.length, 256)
  const good = at('good', 'good', false)
  assert.equal(limits.acquire(good, 100)[0]?.pool, 'proven')
  assert.equal(limits.acquire(at('new', 'new'), 100)[0]?.pool, 'unproven')
  const says = (endpoint: KnownEndpoint, hangs: boolean, succeeded: boolean): boolean | null => {
    const [place] = limits.acquire(endpoint, 1) as [Place]
    if (hangs) limits.markHanging(place)
    const said = limits.adjust(place, succeeded)
    limits.release(place)
    return said
  }
  end(limits, held, false)
  const [one, other] = [at('a'), at('b')]
  assert.deepEqual(
    [
      says(one, true, false),
      says(one, true, false),
      says(one, false, false),
      says(one, false, true),
    ],
    [true, null, null, false],
  )
  assert.deepEqual(
    [says(other, false, false), says(other, true, true), says(other, false, true)],
    [null, false, null],
  )
})
