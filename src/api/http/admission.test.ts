/**
 * Goal: under any load admitted requests are answered soon, others are rejected at once, and no
 * business takes the places of another. Method: the counts over a clock of the test's; and a server
 * whose admission has a clock that stands still, so that no machine is too slow for it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newBusiness } from '../../../test/support/actors.ts'
import { bankPayout, startServer, type TestServer } from '../../../test/support/harness.ts'
import { newSockets } from '../../../test/support/sockets.ts'
import { newClient } from '../../db/db.ts'
import { Admission, type Place } from './admission.ts'

function counts() {
  let at = 0
  const admission = new Admission(() => at)
  return {
    assign: (place: Place, sender: string) => admission.assign(place, sender),
    pause: (place: Place) => admission.pause(place),
    leave: (place: Place) => admission.leave(place),
    pass: (ms: number) => {
      at += ms
    },
    /** @returns those that were admitted */
    enter: (many: number, sender = 'one'): Place[] =>
      Array.from({ length: many }).flatMap(() => {
        try {
          return [admission.enter(sender)]
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'overloaded')
          return []
        }
      }),
  }
}

describe('how many requests are admitted', () => {
  it('is 256 at once, and as many again as were answered', () => {
    const { enter, leave } = counts()
    const first = enter(256)
    assert.equal(first.length, 256)
    for (const one of first.slice(0, 10)) leave(one)
    assert.equal(enter(10).length, 10)
    assert.equal(enter(1).length, 0)
  })

  it('is 128 for two seconds since more than 256 came, and 256 again then, though some were refused meanwhile', () => {
    const { enter, leave, pass } = counts()
    let waiting = enter(300)
    assert.equal(waiting.length, 256)
    for (let passed = 0; passed < 2_000; passed += 100) {
      for (const one of waiting) leave(one)
      waiting = enter(200)
      assert.equal(waiting.length, 128)
      pass(100)
    }
    for (const one of waiting) leave(one)
    assert.equal(enter(300).length, 256)
  })

  it('is what is answered in 70 ms, where that is more', () => {
    const { enter, leave, pass } = counts()
    for (let i = 0; i < 80; i++) {
      for (const one of enter(200)) leave(one)
      pass(25)
    }
    // 8,000 a second, but that the tick that has just begun is empty yet.
    assert.equal(enter(10_000).length, 8_000 * 0.07 * 0.9)
  })

  it('is not lessened by what takes longer than others', () => {
    const { enter, leave, pass } = counts()
    assert.equal(enter(256).length, 256)
    for (let i = 0; i < 10; i++) {
      assert.equal(enter(1).length, 0)
      pass(200)
      // Something else is answered meanwhile.
      leave({ sender: 'one', tick: -1_000 })
    }
    assert.equal(enter(300).length, 128)
  })

  it('is not limited where nothing is answered: what waits does so for something else', () => {
    const { enter, pass } = counts()
    assert.equal(enter(300).length, 256)
    pass(1_000)
    assert.equal(enter(1_000).length, 1_000)
  })

  it('is forgotten after a pause, however long', () => {
    const { enter, leave, pass } = counts()
    const before = enter(256)
    pass(3_600_000)
    for (const one of before) leave(one)
    assert.equal(enter(300).length, 256)
  })

  it('is limited in a burst after a pause too', () => {
    const { enter, pass } = counts()
    pass(3_600_000)
    assert.equal(enter(300).length, 256)
  })

  it('is a quarter for each other sender where one has taken all', () => {
    const { enter, leave } = counts()
    const taken = enter(300, 'greedy')
    assert.equal(taken.length, 256)
    // Since there was a burst, 128 count as all that there are.
    assert.equal(enter(100, 'second').length, 32)
    assert.equal(enter(1, 'greedy').length, 0)
    assert.equal(enter(100, 'third').length, 32)
    assert.equal(enter(100, 'fourth').length, 32)
    assert.equal(enter(1, 'fifth').length, 0)
    for (const one of taken) leave(one)
    assert.equal(enter(100, 'fifth').length, 32)
    assert.equal(enter(1, 'greedy').length, 0)
  })

  it('counts no request that waits for its client, and a key for its business once that is known', () => {
    const { enter, pause, assign } = counts()
    const first = enter(256)
    for (const one of first) pause(one)
    const next = enter(256, '')
    assert.equal(next.length, 256)
    for (const one of next) assign(one, 'greedy')
    assert.equal(enter(1, 'greedy').length, 0)
    assert.equal(enter(1, '').length, 1)
  })
})

describe('a server of which more is asked than it can take', () => {
  let server: TestServer
  let at = 0
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 100_000_000)
    at = server.app.elapsed()
    server.app.elapsed = () => at
  })
  after(() => server.stop())
  const headersOf = (key: string) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  })
  const many = (count: number): number[] => Array.from({ length: count }, (_, n) => n)
  /** Waits until nothing is under way and until 256 are admitted again. */
  const recover = async (): Promise<void> => {
    await server.idle()
    at += 4_000
  }

  it('refuses at once what it does not let in, and does nothing of it', async () => {
    const sockets = newSockets(server.url)
    let made = 0
    try {
      // Connections that are there already: all requests come before the first is answered.
      await Promise.all(many(400).map(() => sockets.ask('GET', '/health', {})))
      assert.equal((await server.call('GET', '/wallets')).status, 200)
      const answers = await whileHeld(server, async () => {
        const refused = Promise.withResolvers<void>()
        let rejections = 0
        const asked = many(400).map(async (n) => {
          const body = JSON.stringify(bankPayout(`crowd-${n}`, 10_000))
          const answer = await sockets.ask('POST', '/payouts', headersOf(server.testKey), body)
          if (answer.status !== 201 && ++rejections === 400 - 256) refused.resolve()
          return answer
        })
        await refused.promise
        return asked
      })
      for (const { status, retryAfter, body } of answers.filter(({ status }) => status !== 201))
        assert.deepEqual(
          [status, retryAfter, JSON.parse(body).errors.code],
          [429, true, 'overloaded'],
        )
      made = answers.filter(({ status }) => status === 201).length
    } finally {
      sockets.close()
    }
    assert.equal(made, 256)
    assert.equal((await server.app.db.query('select from payouts')).length, 256)
  })

  it('keeps a share for each business, whatever another one asks', async () => {
    await recover()
    const other = await newBusiness(server)
    assert.equal((await other('GET', '/wallets')).status, 200)
    const sockets = newSockets(server.url)
    try {
      await whileHeld(server, async () => {
        const refused = Promise.withResolvers<void>()
        const asked = many(400).map(async (n) => {
          const body = JSON.stringify(bankPayout(`greedy-${n}`, 10_000))
          const answer = await sockets.ask('POST', '/payouts', headersOf(server.testKey), body)
          if (answer.status === 429) refused.resolve()
          return answer
        })
        await refused.promise
        const answers = await Promise.all(many(30).map(() => other('GET', '/wallets')))
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
        // The live key of the business whose test key asks for everything has a share of its own.
        assert.equal((await server.callAs(server.liveKey)('GET', '/wallets')).status, 200)
        return asked
      })
    } finally {
      sockets.close()
    }
  })

  it('keeps no place for bodies that it waits for', async () => {
    await recover()
    const sockets = newSockets(server.url)
    const body = JSON.stringify(bankPayout('slow-body', 10_000))
    try {
      const halves = many(300).map(() => sockets.half('/payouts', headersOf(server.testKey), body))
      // The server has read the head of each.
      await Promise.all(halves.map(({ continued }) => continued))
      assert.equal((await server.call('GET', '/wallets')).status, 200)
      const [first] = halves
      const answer = await first?.finish()
      assert.equal(answer?.status, 201)
    } finally {
      sockets.close()
    }
  })

  it('keeps no place for who has gone away', async () => {
    await recover()
    const gone = newSockets(server.url)
    await Promise.all(many(250).map(() => gone.ask('GET', '/health', {})))
    for (const _ of many(250)) void gone.ask('GET', '/wallets', headersOf(server.testKey))
    // They have been read when this one is answered.
    await server.call('GET', '/wallets')
    gone.close()
    const next = newSockets(server.url)
    try {
      await Promise.all(many(250).map(() => next.ask('GET', '/health', {})))
      const answers = await Promise.all(
        many(250).map(() => next.ask('GET', '/wallets', headersOf(server.testKey))),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    } finally {
      next.close()
    }
  })
})

/**
 * Asks while no payout of the business can be made, as its accounts are locked. @returns what is
 * answered after that
 */
async function whileHeld<T>(server: TestServer, ask: () => Promise<Promise<T>[]>): Promise<T[]> {
  const holder = newClient(server.ownerUrl)
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from ledger_accounts where business_id = $1 for update', [
      server.businessId,
    ])
    const asked = await ask()
    await holder.query('commit')
    return await Promise.all(asked)
  } finally {
    await holder.end()
  }
}
