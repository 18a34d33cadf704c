/**
 * What stands in front of a server that speaks http, as an operator's proxy does: https, with a
 * certificate that nobody has signed.
 */
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

/** `ca`: the certificate, for whoever is to trust it. */
export type Front = { port: number; ca: string; stop(): Promise<void> }

/** @param behind where the server is, once it is up */
export async function startFront(behind: () => string): Promise<Front> {
  const { private: key, cert } = await generate(
    [{ name: 'commonName', value: 'pay.example.com' }],
    {
      keySize: 2048,
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'pay.example.com' }] }],
    },
  )
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method = 'GET', headers, url } = incoming
    const asked = request(new URL(url ?? '/', behind()), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    asked.on('error', () => outgoing.destroy())
    outgoing.on('close', () => asked.destroy())
    incoming.pipe(asked)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    ca: cert,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
