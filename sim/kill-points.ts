/**
 * What one process of ours asks of providers, so that it can be killed where it is least known what
 * became of that.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'
import type { Order, Point } from './messages.ts'

/**
 * Has this process die at the point that it is told by who started it, of the next request that may
 * change something at a provider.
 * @param places where providers are, each as `host:port`
 * @param costly those of them that take something for what is only read
 */
export function dieOnDemand(places: string[], costly: string[]): void {
  let next: Point | null = null
  const changing = new WeakSet<ClientRequest>()
  const die = (at: Point): void => {
    if (next === at) process.kill(process.pid, 'SIGKILL')
  }
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { request: ClientRequest }
    const host = String(request.getHeader('host'))
    if (!places.includes(host) || (request.method === 'GET' && !costly.includes(host))) return
    die('before it is sent')
    changing.add(request)
    request.once('finish', () => die('once it has left'))
  })
  subscribe('http.client.response.finish', (message) => {
    const { request } = message as { request: ClientRequest }
    if (changing.has(request)) die('as it is answered')
  })
  process.on('message', (order: Order) => {
    if ('fate' in order)
      next = order.fate !== null && 'point' in order.fate ? order.fate.point : null
  })
}
