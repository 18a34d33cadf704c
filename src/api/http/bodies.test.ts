/**
 * Goal: whoever sends half a body, however often, is held by a process within its bounds, and keeps
 * nobody else from being heard. Method: plain sockets that say how long a body is, and send a part
 * of it.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, afterEach, before, describe, it } from 'node:test'
import { newBusiness } from '../../../test/support/actors.ts'
import { signedIn, type Visitor } from '../../../test/support/dashboard.ts'
import { startServer, type TestServer, until } from '../../../test/support/harness.ts'
import { giveInbound, signedBy } from '../../../test/support/notifier.ts'

const mib = 1024 * 1024
const json = 'content-type: application/json'
const tooLarge =
  /^HTTP\/1\.1 400 [\s\S]*\r\nconnection: close\r\n[\s\S]*is larger than this page takes/
const form = 'content-type: application/x-www-form-urlencoded'

describe('bodies that are half sent', () => {
  let server: TestServer
  let owner: Visitor
  const sockets = new Set<Socket>()
  before(async () => {
    server = await startServer()
    owner = await signedIn(server)
    giveInbound(server.app, 'test', { shop: signedBy('now') })
  })
  afterEach(() => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  })
  after(() => server.stop())

  /** Sends a head and a part of the body. @returns what is answered; it ends with the connection */
  function half(
    path: string,
    headers: string[],
    length: number | 'chunked',
    part = 1_000,
  ): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    sockets.add(socket)
    let answer = ''
    socket.setEncoding('latin1').on('data', (some) => {
      answer += some
    })
    socket.on('error', () => {})
    const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
    socket.write([`POST ${path} HTTP/1.1`, 'host: x', size, ...headers, '', ''].join('\r\n'))
    const text = 'x'.repeat(part)
    socket.write(length === 'chunked' ? `${part.toString(16)}\r\n${text}\r\n` : text)
    return new Promise((resolve) => socket.on('close', () => resolve(answer)))
  }
  /** Sends halves until one is answered. @returns the answer, and how many were sent */
  async function fill(send: () => Promise<string>): Promise<{ answer: string; sent: number }> {
    let answer: string | null = null
    let sent = 0
    await until(async () => {
      if (answer === null) {
        sent++
        void send().then((said) => {
          answer ??= said
        })
        await server.call('GET', '/health')
      }
      return answer
    })
    return { answer: answer as unknown as string, sent }
  }
  const keyed = (key = server.testKey) => [json, `authorization: Bearer ${key}`]
  const large = (call = server.call) =>
    call('POST', '/customers', { metadata: { text: 'x'.repeat(2 * mib - 200) } })

  it('of nobody who is signed in, are answered by their heads', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => half(`${owner.base}/profile`, [form], 2 * mib - 1)),
    )
    for (const answer of answers) {
      assert.match(answer, /^HTTP\/1\.1 303 .*\r\n[\s\S]*location: \/dashboard\/sign-in/i)
      assert.match(answer, /\r\nconnection: close\r\n/i)
    }
  })

  it('of forms that anybody may send, are no larger than 32 KiB', async () => {
    const answer = await half('/dashboard/sign-in', [form], 32 * 1024 + 1)
    assert.match(answer, tooLarge)
    const read = await owner.post('/dashboard/sign-in', {
      email: 'x'.repeat(31 * 1024),
      password: 'y',
    })
    assert.doesNotMatch(read.html, /larger than/)
  })

  it('of forms that hold no file, are no larger than 256 KiB, whoever sends them', async () => {
    const cookie = `cookie: ${owner.cookie}`
    assert.match(
      await half(`${owner.base}/customers/-/new`, [form, cookie], 256 * 1024 + 1),
      tooLarge,
    )
    const { answer, sent } = await fill(() =>
      half(`${owner.base}/payout-batches/-/new`, [form, cookie], 2 * mib),
    )
    assert.match(answer, /^HTTP\/1\.1 429 /)
    assert.ok(sent > 8, `${sent} were sent`)
  })

  for (const length of [2 * mib - 1, 'chunked'] as const)
    it(`of one business, ${length === 'chunked' ? 'whose length is not said' : 'by their length'}, leave room for the others and for what is small`, async () => {
      const other = await newBusiness(server)
      const part = length === 'chunked' ? 2 * mib - 100 : 1_000
      const { answer, sent } = await fill(() => half('/customers', keyed(), length, part))
      assert.match(answer, /^HTTP\/1\.1 429 [\s\S]*\r\nretry-after: 1\r\n[\s\S]*"overloaded"/i)
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.ok(sent >= 8, `${sent} were sent`)
      const small = await server.call('POST', '/customers', {
        name: 'Ada',
        email: 'ada@example.com',
      })
      assert.equal(small.status, 201)
      assert.equal((await large()).code, 'overloaded')
      assert.equal((await large(other)).code, 'validation_failed')
      for (const socket of sockets) socket.destroy()
      await until(async () => (await large()).code === 'validation_failed')
    })

  it('are answered before the client has stopped sending, and the answer arrives', async () => {
    for (const length of ['chunked', 4 * mib] as const) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      sockets.add(socket)
      socket.pause()
      const size = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`
      socket.write(['POST /customers HTTP/1.1', 'host: x', size, ...keyed(), '', ''].join('\r\n'))
      const part = Buffer.alloc(64 * 1024, 'x')
      // A client that reads only what it is answered once it has sent all.
      for (let sent = 0; sent < 4 * mib; sent += part.length) {
        const bytes =
          length === 'chunked'
            ? Buffer.concat([Buffer.from('10000\r\n'), part, Buffer.from('\r\n')])
            : part
        await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
      }
      let answer = ''
      for await (const some of socket.setEncoding('latin1')) answer += some
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"body_too_large"/)
      assert.match(answer, /\r\nconnection: close\r\n/)
    }
  })

  it('of providers, are asked for again', async () => {
    const { answer, sent } = await fill(() => half('/rails/shop/test/webhook', [json], mib))
    assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*Send it again/)
    assert.ok(sent >= 4, `${sent} were sent`)
  })
})
