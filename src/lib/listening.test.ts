import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { claimAddress, close, serveAt } from './listening.ts'

const host = '127.0.0.1'

describe('a server that listens', {
  skip: process.platform !== 'linux' && 'no such sockets here',
}, () => {
  /** @returns a server, its port, and what ends it */
  async function start(answer: RequestListener) {
    const server = createServer(answer)
    const closeMore = await serveAt(server, { port: 0, host })
    const end = async (): Promise<void> => {
      const closed = Promise.all([close(server), closeMore()])
      server.closeAllConnections()
      await closed
    }
    return { server, port: (server.address() as AddressInfo).port, end }
  }

  it('takes many new connections each time around its loop, and answers each', async (t) => {
    const { server, port, end } = await start((_request, response) => void response.end('well'))
    t.after(end)
    const clients = 200
    let connected = 0
    server.on('connection', () => connected++)
    /** How many connections are in the kernel's queues, or were accepted. */
    const queued = new Int32Array(new SharedArrayBuffer(4))
    // In a thread of its own, since the loop of this one is kept busy.
    const asking = new Worker(
      `const { connect } = require('node:net')
       const { parentPort, workerData: queued } = require('node:worker_threads')
       let answers = 0
       for (let i = 0; i < ${clients}; i++)
         connect(${port}, '${host}', function () {
           Atomics.add(queued, 0, 1)
           Atomics.notify(queued, 0)
           this.write('GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
         }).on('data', (some) => {
           if (String(some).endsWith('well') && ++answers === ${clients}) parentPort.postMessage(answers)
         })`,
      { eval: true, workerData: queued },
    )
    t.after(() => asking.terminate())
    const answered = once(asking, 'message')
    let rounds = 0
    for (let n = 0; n < clients; n = Atomics.load(queued, 0)) Atomics.wait(queued, 0, n)
    while (connected < clients) {
      await new Promise((resolve) => setImmediate(resolve))
      if (connected > 0) rounds++
    }
    assert.ok(rounds < clients / 4, `${rounds} rounds for ${clients} connections`)
    assert.deepEqual(await answered, [clients])
    await end()
    await assert.rejects(fetch(`http://${host}:${port}`), 'nobody listens any more')
  })

  it('has its port alone, though sockets of one server share it', async () => {
    const { port, end } = await start(() => {})
    await assert.rejects(claimAddress({ port, host }), { code: 'EADDRINUSE' })
    await end()
    const letGo = await claimAddress({ port, host })
    await assert.rejects(claimAddress({ port, host }), { code: 'EADDRINUSE' })
    await letGo()
    await (await claimAddress({ port, host }))()
  })
})
