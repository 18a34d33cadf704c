/**
 * The operations of the API: who may call them, with what input. Requests with a key and pages in
 * process call them by the same rules.
 */
import { requireActive, requireScope } from '../../books/businesses/businesses.ts'
import type { App, Scope } from '../../core/app.ts'
import { type Ctx, readElsewhere } from '../../core/outside.ts'
import type {
  OperationInput,
  Operations,
  ReadRoute,
  Route,
  RouteInput,
  RouteSchemas,
} from '../../core/route.ts'
import { Refusal, refuse, refuseInput } from '../../lib/errors.ts'
import { toJson } from '../../lib/json.ts'
import { requireFreshFactor } from '../../platform/team/team.ts'
import { type Finished, type Keyed, markOf } from './idempotency.ts'
import { errorEnvelope } from './refusals.ts'
import { isRefusedWhenStopped } from './scopes.ts'
import { compileValidator, findExcess, findUnstorable, invalid } from './validation.ts'
import { type Writer, writerOf } from './writes.ts'

/** The operations of a process, and what its HTTP layer needs of them. */
export type ApiOperations = Operations & {
  routes: readonly Route[]
  /** Returns the one writer of a route, so that requests and pages share its transactions. */
  writer(route: Route): Writer
}

export const closedAndEmpty = { type: 'object', properties: {}, additionalProperties: false }

export const takesBody = ({ method }: Route): boolean => method !== 'GET' && method !== 'DELETE'

/** The parts of a request that an operation reads. */
export type Parts = { params: unknown; query: unknown; body?: unknown }

/**
 * @param keyed it has an Idempotency-Key, so it may repeat a request answered before the business
 * was stopped; the writer refuses a new one
 * @throws {Refusal} `scope_missing`, `test_mode_only`, `business_suspended`, `business_closed`
 */
export function requireAllowed(scope: Scope, route: Route, keyed = false): void {
  const isPerson = scope.actor?.type === 'person'
  requireScope(scope, (isPerson && route.personScope) || route.scope)
  if (route.mode === 'test' && scope.livemode)
    refuse('test_mode_only', 'This endpoint works with test keys (sk_test_…) only.')
  if (isRefusedWhenStopped(route) && !keyed) requireActive(scope)
}

/**
 * Requires a recent second factor of a person for operations that give power in live mode.
 * @throws {Refusal} `factor_needed`, `sign_in_again`
 */
function requireConfirmed(scope: Scope, route: Route): void {
  if (scope.actor?.type === 'person' && scope.livemode && route.givesPower)
    requireFreshFactor(scope)
}

/**
 * Checks what the schemas cannot: unknown fields, texts that cannot be stored, and page numbers.
 * @throws {Refusal} `not_found`, `validation_failed`
 */
export function checkParts(parts: Parts, route: Route): void {
  const { schema } = route
  const withBody = takesBody(route)
  // No body and an empty body mean the same: the schema then names what is missing.
  if (withBody && parts.body === undefined) parts.body = {}
  if (findUnstorable(parts.params, 'params')) refuse('not_found', 'No record has such an id.')
  readPage(parts.query as { page?: unknown })
  const { query = closedAndEmpty, body = closedAndEmpty } = schema
  const excess = findExcess(query, parts.query, 'query')
  if (withBody && excess.length === 0) excess.push(...findExcess(body, parts.body, 'body'))
  if (excess.length > 0) refuseInput(excess)
  const issue = findUnstorable(parts.query, 'query') ?? findUnstorable(parts.body, 'body')
  if (issue) refuseInput([issue])
}

/** Lowers a page number to the largest exact integer, whose page is as empty. */
function readPage(query: { page?: unknown }): void {
  const { page } = query
  if (typeof page !== 'string' || !(Number(page) > Number.MAX_SAFE_INTEGER)) return
  // The validator accepts `1e400`, which is infinity, as a whole number.
  query.page = /^\d+$/.test(page) ? String(Number.MAX_SAFE_INTEGER) : ''
}

/** Clients decide by wallets, and a replica lacks unlogged tables. */
const neverElsewhere = ['listWallets', 'listRequests']

/** Lists, reports and exports. */
const mayBeElsewhere = ({ id }: Route): boolean =>
  /^(list|export)|(Report|ReportCsv|Statement|StatementCsv|StatementPdf)$/.test(id) &&
  !neverElsewhere.includes(id)

/**
 * Reads for a route, at the replica if the route allows it and the replica is current. A read that
 * fails there is repeated at the primary.
 */
export async function readFor(
  ctx: Ctx,
  route: ReadRoute,
  input: RouteInput<RouteSchemas>,
): Promise<unknown> {
  const { replica } = ctx
  const elsewhere = replica && mayBeElsewhere(route) ? await replica.current() : null
  if (!replica || !elsewhere) return route.read(ctx, input)
  try {
    return await route.read(readElsewhere(ctx, elsewhere), input)
  } catch (error) {
    if (error instanceof Refusal) throw error
    replica.failed(error)
    return route.read(ctx, input)
  }
}

/**
 * Makes the operations of a process.
 * @param ofPeople the operations that only pages can call
 */
export function makeOperations(
  app: App,
  routes: readonly Route[],
  ofPeople: readonly Route[] = [],
): ApiOperations {
  const byId = new Map([...routes, ...ofPeople].map((route) => [route.id, route]))
  const writers = new Map<Route, Writer>()

  const route = (id: string): Route => {
    const found = byId.get(id)
    if (!found) throw new Error(`there is no operation '${id}'`)
    return found
  }

  const writer = (of: Route): Writer => {
    const known = writers.get(of) ?? writerOf(app, of as never)
    writers.set(of, known)
    return known
  }

  return {
    routes,
    writer,
    route,
    allowed(scope, id, keyed) {
      try {
        requireAllowed(scope, route(id), keyed)
        return true
      } catch {
        return false
      }
    },
    requireConfirmed: (scope, id) => requireConfirmed(scope, route(id)),
    check(ctx, id, input) {
      requireAllowed(ctx.scope, route(id))
      readInput(route(id), input)
    },
    async follow(ctx, id, input, request) {
      const of = route(id)
      requireAllowed(ctx.scope, of)
      if (!('read' in of) || !of.stream) throw new Error(`'${id}' is no stream`)
      return (await of.read(ctx, readInput(of, input), request)) as unknown as AsyncIterable<string>
    },
    async operate(ctx, id, input = {}, key) {
      const of = route(id)
      requireAllowed(ctx.scope, of, key !== undefined)
      requireConfirmed(ctx.scope, of)
      const parts = readInput(of, input)
      if ('read' in of) {
        const data = await readFor(ctx, of, parts)
        return of.file ? data : plain(data)
      }
      if (key !== undefined) return writeKeyed(ctx, of, writer(of), { key, input, parts })
      const written = await writer(of)(ctx, parts, null)
      return 'data' in written ? plain(written.data) : null
    },
  }
}

/** Validates the input of a call in process. @throws {Refusal} */
function readInput(route: Route, input: OperationInput): RouteInput<RouteSchemas> {
  const parts = structuredClone({ params: {}, query: {}, ...input }) as Required<Parts>
  checkParts(parts, route)
  const { params, query = closedAndEmpty, body = closedAndEmpty } = route.schema
  if (params) validate(params, 'params', parts.params)
  validate(query, 'query', parts.query)
  if (takesBody(route)) validate(body, 'body', parts.body)
  return parts as RouteInput<RouteSchemas>
}

/** @throws {Refusal} `validation_failed` */
function validate(schema: object, part: 'params' | 'query' | 'body', value: unknown): void {
  const validator = compileValidator(schema, part)
  if (!validator(value)) throw invalid(validator.errors ?? [], part)
}

type KeyedCall = { key: string; input: OperationInput; parts: RouteInput<RouteSchemas> }

/** Writes by an idempotency key. @throws {Refusal} also that of an earlier call by the key */
async function writeKeyed(
  ctx: Ctx,
  route: Route,
  write: Writer,
  { key, input, parts }: KeyedCall,
): Promise<unknown> {
  let fresh: unknown
  const keyed = keyedBy(route, key, input, (data) => {
    fresh = data
  })
  const finished = (await write(ctx, parts, keyed)) as Finished
  const isDone = finished.status < 400
  if (isDone && !finished.replayed) return plain(fresh)
  const body = JSON.parse(finished.body)
  if (isDone) return body.data
  const { code, ...details } = body.errors
  throw new Refusal(code, finished.status, body.message, { data: body.data, details })
}

/** Returns data as a client gets it from JSON. */
const plain = (data: unknown): unknown => JSON.parse(toJson(data ?? null))

/**
 * Returns the key of a form. Calls with a key are the same if operation and input are: a call has no
 * URL. Values that are shown once are not stored, so that a repeated page lacks them.
 */
function keyedBy(
  route: Route,
  key: string,
  input: OperationInput,
  made: (data: unknown) => void,
): Keyed<unknown> {
  const { params = {}, query = {}, body = {} } = input
  return {
    key,
    ...markOf(route.method, `operation:${route.id}`, { params, query, body }),
    write: (outcome) => {
      if ('answer' in outcome) {
        made(outcome.answer)
        return {
          status: route.status ?? 200,
          body: toJson({ data: withoutOnce(route, outcome.answer) }),
        }
      }
      const { refusal } = outcome
      return { status: refusal.status, body: JSON.stringify(errorEnvelope(refusal)) }
    },
  }
}

function withoutOnce({ once }: Route, data: unknown): unknown {
  if (!once) return data
  return { ...(data as object), ...Object.fromEntries(once.map((name) => [name, null])) }
}
