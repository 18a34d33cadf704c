/**
 * Goal: however many ask, who is let in has an answer soon, and who is not is told so at once, and nothing was done.
 * Method: the counts over a clock of the test's; and a server, of which more is asked in one moment than it lets wait.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bankPayout, startServer, type TestServer } from '../../../test/support/harness.ts'
import { type Answered, newSockets } from '../../../test/support/sockets.ts'
import { makeAdmission } from './admission.ts'

function counts() {
  let at = 0
  const { enter, leave } = makeAdmission(() => at)
  return {
    pass: (ms: number) => {
      at += ms
    },
    leave,
    /** @returns those that were let in */
    enter: (many: number): number[] =>
      Array.from({ length: many }).flatMap(() => {
        try {
          return [enter()]
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'overloaded')
          return []
        }
      }),
  }
}

describe('how many are let in', () => {
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
      leave(-1_000)
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
})

describe('a server of which more is asked than it can take', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    await server.fund('ngn', 100_000_000)
  })
  after(() => server.stop())

  it('refuses at once what it does not let in, and does nothing of it', async () => {
    let made = 0
    const sockets = newSockets(server.url)
    const many = Array.from({ length: 400 }, (_, n) => n)
    try {
      // Connections that are there already: all requests come before the first is answered.
      await Promise.all(many.map(() => sockets.ask('GET', '/health', {})))
      assert.equal((await server.call('GET', '/wallets')).status, 200)
      const headers = { authorization: `Bearer ${server.testKey}`, 'content-type': 'application/json' }
      let refused: Answered[] = []
      // All are let in where the machine stood still for a second, and once more are asked for then.
      for (let crowd = 0; refused.length === 0; crowd++) {
        assert.ok(crowd < 5, `${made} of ${made} were let in`)
        const bodies = many.map((n) => JSON.stringify(bankPayout(`crowd-${crowd}-${n}`, 10_000)))
        const answers = await Promise.all(bodies.map((body) => sockets.ask('POST', '/payouts', headers, body)))
        refused = answers.filter(({ status }) => status !== 201)
        assert.ok(refused.length <= many.length - 256, `${refused.length} were refused`)
        made += many.length - refused.length
      }
      for (const { status, retryAfter, body } of refused)
        assert.deepEqual([status, retryAfter, JSON.parse(body).errors.code], [429, true, 'overloaded'])
    } finally {
      sockets.close()
    }
    const rows = await server.app.db.query('select from payouts')
    assert.equal(rows.length, made)
  })

  it('keeps no place for who has gone away', async () => {
    // So long since more came than may wait, 256 may again.
    await sleep(2_200)
    const gone = newSockets(server.url)
    const headers = { authorization: `Bearer ${server.testKey}` }
    const many = Array.from({ length: 250 }, (_, n) => n)
    await Promise.all(many.map(() => gone.ask('GET', '/health', {})))
    for (const _ of many) void gone.ask('GET', '/wallets', headers)
    // They have been read when this one is answered.
    await server.call('GET', '/wallets')
    gone.close()
    const next = newSockets(server.url)
    try {
      await Promise.all(many.map(() => next.ask('GET', '/health', {})))
      const answers = await Promise.all(many.map(() => next.ask('GET', '/wallets', headers)))
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    } finally {
      next.close()
    }
  })
})
