/**
 * A webhook target as a merchant would run one: real HTTPS, with a certificate of its own authority.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer }

export type Receiver = {
  url: string
  /** The authority's certificate, for WEBHOOK_CA_FILE. */
  caFile: string
  requests: Received[]
  /** What it answers; may be changed at any time. `null` answers never. */
  answer: ((request: Received, response: ServerResponse) => void) | null
  stop(): Promise<void>
}

/** Starts a target on localhost that answers 200. */
export async function startReceiver(): Promise<Receiver> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-receiver-'))
  const caFile = join(dir, 'ca.pem')
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  writeFileSync(caFile, made.cert)
  const receiver: Receiver = {
    url: '',
    caFile,
    requests: [],
    answer: (_request, response) => response.end('ok'),
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
      const received = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) }
      receiver.requests.push(received)
      receiver.answer?.(received, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `https://localhost:${(server.address() as AddressInfo).port}`
  return receiver
}
