/**
 * `POST /rails/{name}/{mode}/webhook` and `…/approve` for payment providers, which sign their
 * requests instead of using a key. The answer is a status and a sentence, without the API's
 * envelope.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../core/app.ts'
import { isUnavailable } from '../../db/db.ts'
import { Refusal } from '../../lib/errors.ts'
import { modeOf } from '../../lib/mode.ts'
import type { Delivery, ProviderWebhooks } from '../../platform/inbound/inbound.ts'
import { networkOf } from './addresses.ts'
import { type HoldBody, makeBodies, mostOfDeliveries } from './bodies.ts'
import { type Counted, limitStore, rateLimitMax } from './limits.ts'

/** The largest request body. */
const largestBody = 1024 * 1024

type Params = { name: string; mode: string; token?: string }
type Sent = Delivery & { token: string | null }

/** The requests of providers to one address. */
type Post = {
  urls: string[]
  /** The name that bad signatures are counted under. */
  counted: string
  knows: ProviderWebhooks['knows']
  /** Null if the signature is bad. */
  take(sent: Sent): Promise<[status: number, sentence: string] | null>
}

const postsOf = (providerWebhooks: ProviderWebhooks): Post[] => [
  {
    urls: ['webhook'],
    counted: 'bad signatures ',
    knows: providerWebhooks.knows,
    take: async (sent) => ((await providerWebhooks.receive(sent)) ? [200, 'Taken.'] : null),
  },
  {
    urls: ['approve', 'approve/:token'],
    counted: 'bad approvals ',
    knows: providerWebhooks.asks,
    async take(sent) {
      const said = await providerWebhooks.approve(sent)
      return said && (said === 'approved' ? [200, 'Approved.'] : [400, 'Not approved.'])
    },
  },
]

/**
 * Adds the routes. Signed requests are exempt from the rate limit, because a provider sends all its
 * requests from few addresses.
 */
export function addInbound(
  server: FastifyInstance,
  app: App,
  providerWebhooks: ProviderWebhooks,
): void {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.setErrorHandler((error: FastifyError, request, reply) =>
      answer(reply, ...failureOf(error, request)),
    )
    const hold = makeBodies(mostOfDeliveries)
    for (const post of postsOf(providerWebhooks)) addPost(scope, app, post, hold)
  })
}

function addPost(
  scope: FastifyInstance,
  app: App,
  { urls, counted, knows, take }: Post,
  hold: HoldBody,
): void {
  const limit = badSignatures(app, counted)
  const accountOf = ({ params }: FastifyRequest): { name: string; livemode: boolean } | null => {
    const { name, mode } = params as Params
    const livemode = mode === 'live'
    return (livemode || mode === 'test') && knows(name, livemode) ? { name, livemode } : null
  }
  for (const url of urls)
    scope.route({
      method: 'POST',
      url: `/rails/:name/:mode/${url}`,
      bodyLimit: largestBody,
      config: { rateLimit: false } as object,
      schema: { hide: true } as object,
      // Before the body is read.
      onRequest: async (request, reply) => {
        const account = accountOf(request)
        if (account === null)
          return refuse(reply, 404, 'No account at a provider has this address.')
        const waitMs = limit.waitMs(keyOf(request, account))
        if (waitMs <= 0) return
        reply.header('retry-after', Math.ceil(waitMs / 1_000))
        return refuse(reply, 429, 'Too many bad signatures from this address.')
      },
      preParsing: async (request, reply, payload) =>
        hold(request, reply, payload, networkOf(request.address)),
      handler: async (request, reply) => {
        const account = accountOf(request) as { name: string; livemode: boolean }
        const raw = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
        const { token = null } = request.params as Params
        const taken = await take({ ...account, raw, headers: headersOf(request), token })
        if (taken !== null) return answer(reply, ...taken)
        await limit.count(keyOf(request, account)).catch((error: Error) => {
          request.log.warn({ err: error }, 'a bad signature could not be counted')
        })
        return answer(reply, 401, 'The signature is missing, or not of this body and account.')
      },
    })
}

const keyOf = (
  { address }: FastifyRequest,
  { name, livemode }: { name: string; livemode: boolean },
): string => `${networkOf(address)} ${name} ${modeOf(livemode)}`

const headersOf = ({ headers }: FastifyRequest): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join() : value,
    ]),
  )

function answer(reply: FastifyReply, status: number, sentence: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(`${sentence}\n`)
}

/** Answers before the body has arrived, and does not wait for it. */
const refuse = (reply: FastifyReply, status: number, sentence: string): FastifyReply =>
  answer(reply.header('connection', 'close'), status, sentence)

/** Providers retry after a 5xx answer, and give up after a 4xx answer. */
function failureOf(
  error: FastifyError,
  request: FastifyRequest,
): [status: number, sentence: string] {
  const { statusCode = 500 } = error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return [413, `The body is larger than ${largestBody / 1_024} KiB.`]
  if (statusCode >= 400 && statusCode < 500)
    return [statusCode, 'This is nothing that a provider sends.']
  if (error instanceof Refusal) return [503, 'More is on its way than can be held. Send it again.']
  const level = isUnavailable(error) ? 'warn' : 'error'
  request.log[level]({ err: error }, 'what a provider sends could not be taken')
  return [503, 'It could not be taken. Send it again.']
}

const mostBlocked = 10_000

/**
 * Counts bad signatures by address and account, in the database for all processes; each process
 * remembers the addresses over the limit that it has counted itself.
 */
function badSignatures(app: App, counted: string) {
  const max = rateLimitMax(app.config)
  const store = max > 0 ? new (limitStore(app))({}, counted) : null
  const blocked = new Map<string, number>()
  return {
    waitMs: (key: string): number => (blocked.get(key) ?? 0) - app.clock.now().getTime(),
    async count(key: string): Promise<void> {
      if (store === null) return
      const { current, ttl } = await new Promise<Counted>((resolve, reject) => {
        store.incr(key, (error, counted) => (counted ? resolve(counted) : reject(error)))
      })
      if (current < max) return
      if (blocked.size >= mostBlocked) blocked.clear()
      blocked.set(key, app.clock.now().getTime() + ttl)
    },
  }
}
