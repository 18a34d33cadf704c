/**
 * The receiver of webhooks: an HTTPS server that answers 200 to everything. Writes its certificate
 * to a file and prints its address. Of events sent to `/life` it counts the completed payouts and
 * keeps how long after its creation each arrived; `GET /life` reports both.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { generate } from 'selfsigned'

/** What the receiver saw: `latencies` are those since the report before, in milliseconds. */
export type LifeReport = { completed: number; latencies: number[] }

const made = await generate([{ name: 'commonName', value: 'bench' }], {
  keySize: 2048,
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ],
})
writeFileSync(process.argv[2] as string, made.cert)

const completed = new Set<string>()
let latencies: number[] = []
/** A payout that completed counts once, however often its event is delivered. */
function count(event: { type: string; payload: { id: string; created_at: string } }): void {
  if (event.type !== 'payout.completed' || completed.has(event.payload.id)) return
  completed.add(event.payload.id)
  latencies.push(Date.now() - Date.parse(event.payload.created_at))
}

const server = createServer({ key: made.private, cert: made.cert }, async (request, response) => {
  if (request.url !== '/life') {
    request.resume()
    request.on('end', () => response.writeHead(200).end())
  } else if (request.method === 'POST') {
    count((await json(request)) as Parameters<typeof count>[0])
    response.writeHead(200).end()
  } else {
    const report: LifeReport = { completed: completed.size, latencies }
    latencies = []
    response.end(JSON.stringify(report))
  }
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  console.log(`https://localhost:${(server.address() as AddressInfo).port}`),
)
