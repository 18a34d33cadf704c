/**
 * Goal: what the front holds of bodies is bounded, and a cell's refusal reaches the client as it
 * is. Method: the front in process, before servers that answer as cells do.
 */
import assert from 'node:assert/strict'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { type Json, until } from '../../../test/support/harness.ts'
import { cellHeader } from '../../lib/cells.ts'
import type { Log } from '../../lib/log.ts'
import type { Cell } from './file.ts'
import { type Front, startFront } from './front.ts'

const mib = 1024 * 1024
const log = { info() {}, warn() {}, error() {} } as unknown as Log
const cell = (letter: string): Cell => ({ letter, accepts: true, settings: {}, accounts: [] })
type Answers = (incoming: IncomingMessage, outgoing: ServerResponse) => void
type Got = { status: number; retryAfter: string | undefined; body: string }

describe('the front', () => {
  const answers: Record<string, Answers> = {}
  let servers: Server[]
  let front: Front
  // Each test has connections of its own: some leave theirs in the middle of a body.
  beforeEach(async () => {
    servers = ['a', 'b'].map((letter) =>
      createServer((incoming, outgoing) => {
        if (incoming.url === '/health') outgoing.end('{"data":{}}')
        else answers[letter]?.(incoming, outgoing)
      }),
    )
    front = await startFront([cell('a'), cell('b')], {
      port: 0,
      host: '127.0.0.1',
      only: null,
      log,
      // Clients, front and cells share a process here, so a check may wait for a whole body.
      checkWithinMs: 600_000,
    })
    for (const [i, server] of servers.entries()) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      front.move('ab'[i] as string, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    }
    await until(
      async () =>
        ((await (await fetch(`${front.url}/health`)).json()) as Json).data.status === 'ok',
    )
  })
  afterEach(async () => {
    await front.stop()
    for (const server of servers) server.closeAllConnections()
    for (const server of servers) server.close()
  })
  beforeEach(() => {
    answers.b = (incoming, outgoing) => void incoming.resume().on('end', () => outgoing.end('of b'))
  })

  /** Posts a body, by a key of cell `a` that no other request has. */
  const post = (body: Buffer, number = 0): Promise<Got> =>
    new Promise((resolve, reject) => {
      const authorization = `Bearer sk_test_a${String(number).padStart(32, '0')}`
      const asked = request(`${front.url}/payouts`, {
        method: 'POST',
        agent: false,
        headers: { authorization, 'content-length': body.length },
      })
      asked.on('error', reject).on('response', async (answer) => {
        let got = ''
        for await (const some of answer) got += some
        resolve({
          status: answer.statusCode ?? 0,
          retryAfter: answer.headers['retry-after'],
          body: got,
        })
      })
      asked.end(body)
    })

  it('refuses a request that names its host twice', async () => {
    const { port } = new URL(front.url)
    const asked = request({ port, headers: ['host', 'x', 'Host', 'y'] }).end()
    const answer = await new Promise<IncomingMessage>((resolve) => asked.on('response', resolve))
    answer.resume()
    assert.equal(answer.statusCode, 400)
  })

  it('passes on a refusal that comes before the whole body, with when to come back', async () => {
    answers.a = (incoming, outgoing) => {
      incoming.resume()
      outgoing
        .writeHead(429, { 'retry-after': '7', connection: 'close' })
        .end('{"errors":{"code":"overloaded"}}')
    }
    for (let i = 0; i < 50; i++)
      assert.deepEqual(await post(Buffer.alloc(8 * mib), i), {
        status: 429,
        retryAfter: '7',
        body: '{"errors":{"code":"overloaded"}}',
      })
  })

  it('keeps copies of 64 MiB of bodies, and asks no other cell for those that it has no copy of', async () => {
    const waiting: ServerResponse[] = []
    answers.a = (incoming, outgoing) =>
      void incoming.resume().on('end', () => waiting.push(outgoing))
    let ended = 0
    const asked = Array.from({ length: 80 }, (_, i) =>
      post(Buffer.alloc(mib), i).finally(() => ended++),
    )
    await until(async () => waiting.length + ended >= 80)
    for (const outgoing of waiting) outgoing.writeHead(503, { [cellHeader]: 'b' }).end()
    const got = await Promise.all(asked)
    assert.equal(got.filter(({ status, body }) => status === 200 && body === 'of b').length, 64)
    const others = got.filter(({ status }) => status !== 200)
    assert.deepEqual(
      [...new Set(others.map(({ status, retryAfter }) => `${status} ${retryAfter}`))],
      ['503 1'],
    )
    // What was held is free again.
    answers.a = (incoming, outgoing) =>
      void incoming.resume().on('end', () => outgoing.writeHead(503, { [cellHeader]: 'b' }).end())
    assert.equal((await post(Buffer.alloc(mib), 100)).status, 200)
  })
})
