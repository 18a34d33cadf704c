/**
 * Hosted pages: forms in, HTML out, with the headers that keep them from being framed, scripted or cached.
 */
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/context.ts'
import type { PageAnswer, PageRequest, PageRoute, Pages } from '../../core/route.ts'
import { sha256 } from '../../lib/secrets.ts'
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
      return send(reply, { html, status: status as 500 })
    })
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'content-security-policy': pages.contentSecurityPolicy,
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
        ...(app.origin.url.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
      })
    })
    for (const route of pages.routes)
      scope.route({
        method: route.method,
        url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        bodyLimit: formLimit,
        config: { rateLimit: limitOf(route.counted) } as object,
        handler: async (request, reply) =>
          send(reply, await route.handler(app, readRequest(request, reply, stopping)), app),
      })
  })
}

/** Pages are told apart by two bytes: whoever makes slugs up must not fill the table of counts. */
function limitOf(counted: PageRoute<App>['counted']): object | false {
  if (counted === 'no') return false
  if (counted === 'by address') return {}
  return {
    keyGenerator: (request: FastifyRequest) => `${addressOf(request)} ${sha256(slugOf(request)).readUInt16BE()}`,
  }
}

/** As the rest of the limit counts it: one who has an IPv6 address has all of its /64. */
const addressOf = (request: FastifyRequest): string => normalizeIP(request.ip)

const slugOf = (request: FastifyRequest): string => (request.params as { slug?: string } | undefined)?.slug ?? ''

function readRequest(request: FastifyRequest, reply: FastifyReply, stopping: AbortSignal): PageRequest {
  const site = request.headers['sec-fetch-site']
  return {
    params: request.params as Record<string, string>,
    query: texts(request.query),
    form: texts(request.body),
    cookies: readCookies(request.headers.cookie ?? ''),
    site: typeof site === 'string' ? site : null,
    address: addressOf(request),
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

function readCookies(header: string): Record<string, string> {
  const pairs = header.split(';').map((part) => part.trim().split('=', 2))
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => pair.length === 2))
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
    const secure = app?.origin.url.startsWith('https:') ? '; Secure' : ''
    reply.header('set-cookie', `${name}=${value}; Path=/pay; HttpOnly; SameSite=Lax${secure}`)
  }
  return reply
    .code(answer.status ?? 200)
    .type('text/html; charset=utf-8')
    .send(answer.html)
}
