/**
 * A webhook target as a merchant would run one: real HTTPS, with a certificate of its own
 * authority.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { generate } from 'selfsigned'

export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer }

/** A status to answer with, `hang` for no answer ever, or whatever a function does. */
export type Behaviour = number | 'hang' | ((request: Received, response: ServerResponse) => void)

export type Receiver = {
  url: string
  /** The authority's certificate, for WEBHOOK_CA_FILE. */
  caFile: string
  requests: Received[]
  /** What it answers; may be changed at any time. */
  answer: Behaviour
  stop(): Promise<void>
}

/** Starts a target on localhost that answers 200. @param name whose certificate it has */
export async function startReceiver(name = 'localhost'): Promise<Receiver> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-receiver-'))
  const caFile = join(dir, 'ca.pem')
  // Names of their own, so that the authorities of two receivers can stand in one file.
  const made = await generate([{ name: 'commonName', value: basename(dir) }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  })
  writeFileSync(caFile, `${made.cert}\n`)
  const receiver: Receiver = {
    url: '',
    caFile,
    requests: [],
    answer: 200,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(dir, { recursive: true, force: true })
    },
  }
  const server = createServer({ key: made.private, cert: made.cert }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks),
      }
      receiver.requests.push(received)
      const { answer } = receiver
      if (typeof answer === 'function') answer(received, response)
      else if (answer !== 'hang') response.writeHead(answer).end('ok')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `https://${name}:${(server.address() as AddressInfo).port}`
  return receiver
}
