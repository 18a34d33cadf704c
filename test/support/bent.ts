/** A provider that is bent on purpose: a proxy before its double, which changes single answers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
type Json = any
export type Answer = { status: number; body: Json }
export type Bend = {
  /** Of which requests: of a text such as `POST /transfer {"amount":…}`. */
  on: RegExp
  /** How many of these go as they are before the first that is bent. */
  skip?: number
  /** How many are bent; all, where it is left out. */
  times?: number
  to: (answer: Answer, line: string) => Answer
}

type Options = {
  bends: Bend[]
  /**
   * Headers in place of those that were sent: the key of the double, which knows only live ones.
   */
  headers?: (sent: Record<string, string>) => Record<string, string>
  /** Whether bodies say that they are of test mode where the double says live. */
  isTest?: boolean
}

export async function startBent(
  target: string,
  { bends, headers = (sent) => sent, isTest }: Options,
) {
  const seen = new Map<Bend, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const raw = Buffer.concat(chunks).toString()
    const {
      host: _,
      connection: __,
      'content-length': ___,
      ...sent
    } = request.headers as Record<string, string>
    const came = await fetch(target + request.url, {
      method: request.method ?? 'GET',
      headers: headers(sent),
      redirect: 'manual',
      ...(raw === '' ? {} : { body: raw }),
    })
    const text = (await came.text()).replaceAll('"livemode":true', `"livemode":${!isTest}`)
    let answer: Answer = { status: came.status, body: text === '' ? null : JSON.parse(text) }
    for (const bend of bends) {
      const line = `${request.method} ${request.url} ${raw}`
      if (!bend.on.test(line)) continue
      const before = seen.get(bend) ?? 0
      seen.set(bend, before + 1)
      const { skip = 0, times = Number.POSITIVE_INFINITY } = bend
      if (before >= skip && before < skip + times) answer = bend.to(answer, line)
    }
    response
      .writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): Promise<void> {
      return new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
    },
  }
}
