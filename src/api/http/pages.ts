/** Pages: forms in, HTML out, with headers against framing, scripts and caching. */
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import type { Cookie, PageAnswer, PageRequest, PageRoute, Pages } from '../../core/route.ts'
import { isUnavailable } from '../../db/db.ts'
import { generalRefusal } from '../../lib/errors.ts'
import { sha256 } from '../../lib/secrets.ts'
import { networkOf } from './addresses.ts'
import { pageHeaders, setMovedHeader } from './answers.ts'
import type { HoldBody } from './bodies.ts'
import { readForm } from './form-parts.ts'
import { goneOf, lastEventIdOf, sendEvents } from './streams.ts'

/** The policy of assets: opened as a page, an asset can do nothing. */
const assetPolicy = "default-src 'none'; sandbox"

type Around = {
  app: App
  pages: Pages<App>
  /** Limits the bytes of bodies that are held while they arrive. */
  hold: HoldBody
  /** Ends streams when the server stops. */
  stopping: AbortSignal
}

/** Adds the routes of a family of pages. */
export function addPages(server: FastifyInstance, around: Around): void {
  const { app, pages } = around
  server.register(async (scope) => {
    addParsers(scope, pages)
    scope.setErrorHandler((error, request, reply) => {
      const { status, html } = pages.failed(error, readHead(app, request))
      if (setMovedHeader(error, reply)) return send(reply, { html, status: 503 }, pages, app)
      if (isUnavailable(error)) request.log.warn({ err: error }, 'a page lost the database')
      else if (status >= 500) request.log.error({ err: error }, 'a page failed')
      if (status === 503) reply.header('retry-after', '1')
      return send(reply, { html, status }, pages, app)
    })
    scope.addHook('onRequest', async (_request, reply) => {
      reply.headers({
        'content-security-policy': pages.contentSecurityPolicy,
        ...pageHeaders,
        ...(pages.referrerPolicy && { 'referrer-policy': pages.referrerPolicy }),
      })
    })
    for (const route of pages.routes) addPage(scope, route, around)
  })
}

/** Accepts forms, and JSON and files if the pages take them. */
function addParsers(scope: FastifyInstance, { takesJson, takesFiles }: Pages<App>): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
  )
  if (takesJson)
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      (_request, body, done) => {
        try {
          done(null, { [jsonBody]: JSON.parse(body as string) })
        } catch {
          done(generalRefusal('malformed_json', 'The body is not valid JSON.'))
        }
      },
    )
  if (takesFiles)
    scope.addContentTypeParser(
      'multipart/form-data',
      async ({ headers, routeOptions }: FastifyRequest, payload: Readable) => {
        const contentType = headers['content-type'] ?? ''
        const { fields, files } = await readForm(payload, contentType, routeOptions.bodyLimit)
        return { ...fields, [formFiles]: files }
      },
    )
}

function addPage(
  scope: FastifyInstance,
  route: PageRoute<App>,
  { app, pages, hold, stopping }: Around,
): void {
  const { method, path, takes, counted } = route
  /** Whether the form is for signed-in people, and the sender is not signed in. */
  const isStranger = async (request: FastifyRequest): Promise<boolean> =>
    takes !== undefined && !(await pages.ofSessions?.known(app, readHead(app, request).cookies))
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    send(reply, await route.handler(app, readRequest(app, request, reply, stopping)), pages, app)
  scope.route({
    method,
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    bodyLimit: (takes && pages.ofSessions?.[takes]) ?? pages.formLimit,
    config: { rateLimit: limitOf(counted) } as object,
    preParsing: async (request, reply, payload) => {
      if (request.method !== 'POST' || !(await isStranger(request)))
        return hold(request, reply, payload, networkOf(request.address))
      // The answer does not depend on the form, so the server does not wait for it.
      reply.header('connection', 'close')
      await answer(request, reply)
      return payload
    },
    handler: answer,
  })
}

/** The key of a form's files in the parsed body. */
const formFiles = Symbol('files')

/** The key of JSON in the parsed body: a form cannot have such a field. */
const jsonBody = Symbol('json')

/** Counts pages by two bytes of their hash, so that invented slugs cannot fill the counts. */
function limitOf(counted: PageRoute<App>['counted']): object | false {
  if (counted === 'no') return false
  if (counted === 'by address') return {}
  return {
    keyGenerator: (request: FastifyRequest) =>
      `${networkOf(request.address)} ${sha256(paramsOf(request).slug ?? '').readUInt16BE()}`,
  }
}

const paramsOf = (request: FastifyRequest) => texts(request.params)

/** Reads the parts of a request that come before its body. */
const readHead = (app: App, request: FastifyRequest) => ({
  path: request.originalUrl,
  params: paramsOf(request),
  query: texts(request.query),
  cookies: readCookies(request.headers.cookie ?? '', hostPrefix(app)),
  preferences: readCookies(request.headers.cookie ?? '', pathPrefix(app)),
  languages: request.headers['accept-language'] ?? '',
})

function readRequest(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  stopping: AbortSignal,
): PageRequest {
  return {
    ...readHead(app, request),
    method: request.method === 'POST' ? 'POST' : 'GET',
    form: texts(request.body),
    files: (request.body as { [formFiles]?: PageRequest['files'] } | undefined)?.[formFiles] ?? {},
    json: (request.body as { [jsonBody]?: unknown } | undefined)?.[jsonBody] ?? null,
    site: siteOf(app, request),
    agent: request.headers['user-agent'] ?? '',
    secure: isSecure(app, request),
    address: networkOf(request.address),
    lastEventId: lastEventIdOf(request),
    signal: AbortSignal.any([goneOf(reply), stopping]),
  }
}

/**
 * Returns where a request comes from. Browsers send `Sec-Fetch-Site` to servers with TLS or on
 * their own machine, and `Origin` with posts to others. Null: unknown, so not a recent browser.
 */
function siteOf({ origin }: App, { headers }: FastifyRequest): string | null {
  const site = headers['sec-fetch-site']
  if (typeof site === 'string') return site
  if (headers.origin === undefined) return null
  const from = URL.canParse(headers.origin) ? new URL(headers.origin) : null
  const isOurs =
    from !== null && (from.host === headers.host || from.origin === new URL(origin.url).origin)
  return isOurs ? 'same-origin' : 'cross-site'
}

/**
 * Whether a page is served by https: by a trusted proxy's word, or because it was requested at the
 * public address, which has TLS, or because the browser sent `Sec-Fetch-Site`, which it does only
 * with TLS or on its own machine.
 */
function isSecure(app: App, { protocol, host, headers }: FastifyRequest): boolean {
  if (protocol === 'https') return true
  const forwarded = String(headers['x-forwarded-proto'] ?? 'https').split(',')[0]
  if (!hasTls(app) || forwarded?.trim() !== 'https') return false
  const isShown =
    headers['sec-fetch-site'] !== undefined && !/^(localhost|127\.|\[::1\])/.test(host)
  return isShown || host === new URL(app.origin.url).host
}

/** Returns the single-text fields that PostgreSQL can store. */
function texts(fields: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries((fields ?? {}) as Record<string, unknown>).filter(
      (field): field is [string, string] =>
        typeof field[1] === 'string' && !field[1].includes('\u0000'),
    ),
  )
}

/**
 * The cookie prefix with TLS: browsers accept such a cookie only from this host over TLS, so no
 * other host of the domain can set it.
 */
const hostPrefix = (app: App): string => (hasTls(app) ? '__Host-' : '')

const hasTls = (app: App): boolean => app.origin.url.startsWith('https:')

/**
 * The prefix for preferences, which may have a path. Another host of the domain could set one, so
 * nothing may depend on it.
 */
const pathPrefix = (app: App): string => (hasTls(app) ? '__Secure-' : '')

/** Returns the cookies with a prefix, without it. */
function readCookies(header: string, prefix: string): Record<string, string> {
  const pairs = header.split(';').map((part) => part.trim().split('=', 2))
  const ours = pairs.filter(
    (pair): pair is [string, string] => pair.length === 2 && pair[0]?.startsWith(prefix) === true,
  )
  return Object.fromEntries(ours.map(([name, value]) => [name.slice(prefix.length), value]))
}

function cookieText(
  { name, value, maxAge, preference }: Cookie,
  { root }: Pages<App>,
  app: App,
): string {
  const prefix = preference ? pathPrefix(app) : hostPrefix(app)
  const where = `Path=${prefix === '__Host-' ? '/' : root}${prefix === '' ? '' : '; Secure'}`
  return `${prefix}${name}=${value}; ${where}; HttpOnly; SameSite=Lax${maxAge === undefined ? '' : `; Max-Age=${maxAge}`}`
}

const zip = promisify(gzip)

/**
 * Sends a text without secrets, compressed if the client accepts that. Short texts are not
 * compressed.
 */
async function sendCompressed(reply: FastifyReply, text: string): Promise<FastifyReply> {
  reply.header('vary', 'accept-encoding')
  const takesGzip = /\bgzip\b(?!;\s*q=0(?:\.0*)?(?:,|$))/.test(
    String(reply.request.headers['accept-encoding'] ?? ''),
  )
  if (!takesGzip || text.length < 1_000) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await zip(text))
}

const sendText = (reply: FastifyReply, text: string, { compressed }: Pages<App>) =>
  compressed ? sendCompressed(reply, text) : reply.send(text)

async function send(
  reply: FastifyReply,
  answer: PageAnswer,
  pages: Pages<App>,
  app: App,
): Promise<FastifyReply> {
  const cookies = answer.cookies?.map((cookie) => cookieText(cookie, pages, app)) ?? []
  if (cookies.length > 0) reply.header('set-cookie', cookies)
  if ('redirect' in answer) return reply.redirect(answer.redirect, 303)
  if ('file' in answer)
    return reply
      .type(answer.contentType)
      .header('content-disposition', `attachment; filename="${answer.name}"`)
      .send(
        answer.file instanceof Uint8Array ? Buffer.from(answer.file) : Readable.from(answer.file),
      )
  if ('asset' in answer) {
    reply.type(answer.contentType).headers({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': assetPolicy,
    })
    return typeof answer.asset === 'string'
      ? sendCompressed(reply, answer.asset)
      : reply.send(Buffer.from(answer.asset))
  }
  if ('text' in answer) return sendText(reply.type(answer.contentType), answer.text, pages)
  if ('json' in answer)
    return reply
      .code(answer.status ?? 200)
      .type('application/json')
      .send(JSON.stringify(answer.json))
  if ('events' in answer) return sendEvents(reply, answer.events)
  if (answer.policy !== undefined) reply.header('content-security-policy', answer.policy)
  return sendText(
    reply.code(answer.status ?? 200).type('text/html; charset=utf-8'),
    answer.html,
    pages,
  )
}
