/** What stands before a server and speaks https: it passes everything on. */
import { request as plainRequest } from 'node:http'
import { createServer, request as secureRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

export type Front = { url: string; ca: string; to(url: string, ca?: string): void; close(): void }

/**
 * Starts one on a port of its own.
 * @param before is waited for before each request is passed on
 */
export async function startFront(before: () => Promise<void> = async () => {}): Promise<Front> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  let target: { url: string; ca: string | undefined } | null = null
  const server = createServer({ key, cert }, (asked, answer) => {
    before()
      .then(() => {
        if (target === null) throw new Error('there is nothing behind it yet')
        const { url, ca } = target
        const send = url.startsWith('https:') ? secureRequest : plainRequest
        const { method, headers } = asked
        const passed = send(`${url}${asked.url}`, { method, headers, ...(ca === undefined ? {} : { ca }) }, (came) => {
          answer.writeHead(came.statusCode ?? 502, came.headers)
          came.pipe(answer)
        })
        passed.on('error', () => answer.destroy())
        asked.pipe(passed)
      })
      .catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    ca: cert,
    to: (url, ca) => {
      target = { url, ca }
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
