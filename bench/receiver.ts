/**
 * The target of webhooks: an HTTPS server that answers 200 to everything. Writes its certificate to
 * a file; prints its address.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { generate } from 'selfsigned'

const made = await generate([{ name: 'commonName', value: 'bench' }], {
  keySize: 2048,
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ],
})
writeFileSync(process.argv[2] as string, made.cert)
const server = createServer({ key: made.private, cert: made.cert }, (request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(200).end())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  console.log(`https://localhost:${(server.address() as AddressInfo).port}`),
)
