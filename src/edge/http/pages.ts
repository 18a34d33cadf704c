/**
 * Hosted pages: forms in, HTML out, with the headers that keep them from being framed, scripted or cached.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import type { PageAnswer, PageRequest, PageRoute, Pages } from '../../core/route.ts'
import { sha256 } from '../../lib/secrets.ts'
import { networkOf } from './addresses.ts'
import { pageHeaders } from './answers.ts'
import { goneOf, sendEvents } from './streams.ts'

const formLimit = 16 * 1024

/** Adds the routes of hosted pages. `stopping` ends their streams. */
export function addPages(server: FastifyInstance, app: App, pages: Pages<App>, stopping: AbortSignal): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )
    scope.setErrorHandler((error, request, reply) => {
      const { status, html } = pages.failed(error, slugOf(request))
      if (status >= 500) request.log.error({ err: error }, 'a page failed')
      if (status === 503) reply.header('retry-after', '1')
      return send(reply, { html, status: status as 500 })
    })
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'content-security-policy': pages.contentSecurityPolicy,
        ...pageHeaders,
      })
    })
    for (const route of pages.routes)
      scope.route({
        method: route.method,
        url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        bodyLimit: formLimit,
        config: { rateLimit: limitOf(route.counted) } as object,
        handler: async (request, reply) =>
          send(reply, await route.handler(app, readRequest(app, request, reply, stopping)), app),
      })
  })
}

/** Pages are told apart by two bytes: whoever makes slugs up must not fill the table of counts. */
function limitOf(counted: PageRoute<App>['counted']): object | false {
  if (counted === 'no') return false
  if (counted === 'by address') return {}
  return {
    keyGenerator: (request: FastifyRequest) =>
      `${networkOf(request.address)} ${sha256(slugOf(request)).readUInt16BE()}`,
  }
}

const slugOf = (request: FastifyRequest): string => (request.params as { slug?: string } | undefined)?.slug ?? ''

function readRequest(app: App, request: FastifyRequest, reply: FastifyReply, stopping: AbortSignal): PageRequest {
  const site = request.headers['sec-fetch-site']
  return {
    params: request.params as Record<string, string>,
    query: texts(request.query),
    form: texts(request.body),
    cookies: readCookies(app, request.headers.cookie ?? ''),
    site: typeof site === 'string' ? site : null,
    address: networkOf(request.address),
    signal: AbortSignal.any([goneOf(reply), stopping]),
  }
}

/** The fields that are one text. */
function texts(fields: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries((fields ?? {}) as Record<string, unknown>).filter(
      (field): field is [string, string] => typeof field[1] === 'string' && !field[1].includes('\u0000'),
    ),
  )
}

/**
 * What comes before a cookie's name where there is TLS: browsers then take it from this host over TLS alone, so that no
 * other host of the domain can give them one of its own.
 */
const hostPrefix = (app: App | undefined): string => (app?.origin.url.startsWith('https:') ? '__Host-' : '')

function readCookies(app: App, header: string): Record<string, string> {
  const prefix = hostPrefix(app)
  const pairs = header.split(';').map((part) => part.trim().split('=', 2))
  const ours = pairs.filter(
    (pair): pair is [string, string] => pair.length === 2 && pair[0]?.startsWith(prefix) === true,
  )
  return Object.fromEntries(ours.map(([name, value]) => [name.slice(prefix.length), value]))
}

function send(reply: FastifyReply, answer: PageAnswer, app?: App): FastifyReply {
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303)
  if ('file' in answer)
    return reply
      .type(answer.contentType)
      .header('content-disposition', `attachment; filename="${answer.name}"`)
      .send(Buffer.from(answer.file))
  if ('json' in answer) return reply.type('application/json').send(JSON.stringify(answer.json))
  if ('events' in answer) return sendEvents(reply, answer.events)
  if (answer.cookie) {
    const { name, value } = answer.cookie
    const prefix = hostPrefix(app)
    const where = prefix === '' ? 'Path=/pay' : 'Path=/; Secure'
    reply.header('set-cookie', `${prefix}${name}=${value}; ${where}; HttpOnly; SameSite=Lax`)
  }
  return reply
    .code(answer.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(answer.html)
}
