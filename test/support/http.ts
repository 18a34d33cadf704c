/** A client of servers, for tests: `fetch` takes three times as much of the processor. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request as startRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'

/** Keeps connections, as clients do; one that the process leaves open does not keep it alive. */
const agent = new Agent({ keepAlive: true })

export type Sent = {
  method?: string
  headers?: Record<string, string>
  body?: string | URLSearchParams | FormData | undefined
}
export type Received = { status: number; headers: Headers; text: string }

/** Sends a request, and follows no redirect. */
export async function send(url: string, { method, headers = {}, body }: Sent): Promise<Received> {
  // A form says its type itself.
  const form = body === undefined || typeof body === 'string' ? null : new Response(body)
  const type = form ? { 'content-type': form.headers.get('content-type') as string } : {}
  const request = startRequest(url, { method, agent, headers: { ...type, ...headers } })
  request.end(form ? new Uint8Array(await form.arrayBuffer()) : body)
  // Of one that is cut off after its head, the reading of its body fails.
  request.on('error', () => {})
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode as number,
    headers: headersOf(response),
    text: await readText(response),
  }
}

const headersOf = ({ headersDistinct }: IncomingMessage): Headers =>
  new Headers(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    ),
  )
