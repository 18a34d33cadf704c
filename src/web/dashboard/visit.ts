/**
 * A visit: a person at a page of a business, in a mode. Without a session, the visitor is sent to
 * sign in and then back. Pages of other people's businesses do not exist for the visitor.
 */
import { timingSafeEqual } from 'node:crypto'
import { type Business, getBusiness } from '../../books/profiles/profiles.ts'
import type { App } from '../../core/app.ts'
import { clientOf } from '../../core/operations.ts'
import { type Ctx, outside, scopeOf } from '../../core/outside.ts'
import type { Operations, PageAnswer, PageRequest, PageRoute } from '../../core/route.ts'
import { TestDataEmptied } from '../../core/test-data.ts'
import { isUnavailable } from '../../db/db.ts'
import { general, Refusal } from '../../lib/errors.ts'
import type { Id } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import { whenAborted } from '../../lib/periodic.ts'
import { sha256 } from '../../lib/secrets.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import {
  actorOf,
  findPage,
  findSession,
  keepPage,
  type Member,
  peekSession,
  pendingPerson,
  provedAtOf,
  type Session,
  sessionCookie,
} from '../../platform/team/team.ts'
import { rememberPlace } from './entry.ts'
import { makePageLimit } from './limits.ts'
import type { BusinessPage, MenuGroup, Visit } from './place.ts'
import { showFor } from './show.ts'
import { messagePage, signInAt } from './view/message.ts'
import { en } from './view/strings.ts'

/** Larger answers to forms are not kept. */
const keptBytes = 256 * 1_024

const checkEveryMs = 1_000

const modes: readonly string[] = ['test', 'live']

/** Returns the token of a session; null if the cookie cannot be one. */
function tokenOf(cookies: Record<string, string>): string | null {
  const token = cookies[sessionCookie] ?? ''
  return /^[\w-]{16,200}$/.test(token) ? token : null
}

/** Returns the session of a request, or null. */
export async function sessionOf(app: App, request: PageRequest): Promise<Session | null> {
  const token = tokenOf(request.cookies)
  return token === null ? null : findSession(app, token)
}

/** Returns whether the cookies have a session. This does not count as a use of it. */
export async function isSignedIn(app: App, cookies: Record<string, string>): Promise<boolean> {
  const token = tokenOf(cookies)
  return token !== null && (await peekSession(app, token)) !== null
}

/** Returns where to sign in. A person whose session has ended is told so there. */
async function signInAfter(app: App, request: PageRequest): Promise<string> {
  const token = tokenOf(request.cookies)
  const ended = token !== null && (await pendingPerson(app, token)) === null
  return `${signInAt(request.path)}${ended ? `&ended=${request.method === 'POST' ? 'form' : 'page'}` : ''}`
}

/** Returns whether a page of this server has sent the request. */
const isFromHere = ({ site }: PageRequest): boolean => site === null || site === 'same-origin'

/**
 * Returns a signal that aborts when the session ends, or when its person loses the right. The checks
 * do not count as uses: an open page does not keep a session alive.
 */
function rightLost(
  app: App,
  request: PageRequest,
  mayStill: (session: Session) => boolean,
): AbortSignal {
  const lost = new AbortController()
  const timer = setInterval(() => {
    peekSession(app, request.cookies[sessionCookie] ?? '')
      .then((session) => {
        if (!session || !mayStill(session)) lost.abort()
      })
      .catch((error) =>
        app.log.warn({ err: error }, 'whether a stream may go on could not be asked'),
      )
  }, checkEveryMs)
  void whenAborted(request.signal).then(() => clearInterval(timer))
  return lost.signal
}

/** Returns whether a posted form is from a page of this session. */
export function isOwnForm(session: Session, request: PageRequest): boolean {
  const { form } = request
  if (!isFromHere(request)) return false
  return timingSafeEqual(sha256(form.csrf ?? ''), sha256(session.csrf))
}

const pathOf = ({ path }: PageRequest): string => path.split('?', 1)[0] as string

/** Returns the kept answer that a redirect of `keepAnswer` leads to. */
async function keptAnswer(
  app: App,
  request: PageRequest,
  session: Session,
): Promise<PageAnswer | null> {
  const { answer } = request.query
  if (request.method !== 'GET' || answer === undefined) return null
  return findPage(app, { session: session.id, path: pathOf(request) }, answer)
}

/**
 * Keeps the page that answers a form and redirects to it, so that Back and reload never send the
 * form again. What a page shows only once is not kept, nor is a large page, nor a total of a form,
 * which is worked out whenever something is typed and changes nothing.
 */
async function keepAnswer(
  app: App,
  request: PageRequest,
  { session, answer }: { session: Session; answer: PageAnswer },
): Promise<PageAnswer> {
  if (!('html' in answer) || answer.secret || (answer.status ?? 200) >= 500) return answer
  const { html, status = 200, cookies = [] } = answer
  if (request.form.step === 'total' || Buffer.byteLength(html) > keptBytes) return answer
  const path = pathOf(request)
  const id = await keepPage(app, { session: session.id, path }, { html, status })
  return { redirect: `${path}?answer=${id}`, cookies }
}

type PageHandler<Who> = (app: App, request: PageRequest, session: Who) => Promise<PageAnswer>

/** The makers of routes that check who visits. */
export type Guards = ReturnType<typeof makeGuards>

/** Makes the guards of a process. */
export function makeGuards(operations: Operations) {
  const waitFor = makePageLimit()
  const isTooFast = (session: Session | null, request: PageRequest): boolean =>
    waitFor(session ? session.id : request.address, performance.now()) > 0

  /** A page for every person who is signed in. */
  const personal = (handler: PageHandler<Session>): PageRoute<App>['handler'] =>
    signedIn(
      async (app, request, session) =>
        (await keptAnswer(app, request, session)) ?? handler(app, request, session),
    )

  /** As `personal`, for a handler that looks up a kept answer itself, after its own checks. */
  const signedIn =
    (handler: PageHandler<Session>): PageRoute<App>['handler'] =>
    async (app, request) => {
      const session = await sessionOf(app, request)
      if (isTooFast(session, request)) return messagePage('too_many', session)
      if (!session) return { redirect: await signInAfter(app, request) }
      if (request.method === 'POST' && !isOwnForm(session, request))
        return messagePage('out_of_date', session)
      const answer = await handler(app, request, session)
      return request.method === 'POST' ? keepAnswer(app, request, { session, answer }) : answer
    }

  /** A page for everyone. Its forms act on what is typed into them, not on a session. */
  const open =
    (handler: PageHandler<Session | null>): PageRoute<App>['handler'] =>
    async (app, request) => {
      const session = await sessionOf(app, request)
      if (isTooFast(session, request)) return messagePage('too_many', session)
      if (request.method === 'POST' && !isFromHere(request))
        return messagePage('out_of_date', session)
      try {
        return await handler(app, request, session)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { ...messagePage('refused', session, null, error.message), status: error.status }
      }
    }

  const ofBusiness = (page: BusinessPage): PageRoute<App> => ({
    method: page.method,
    path: `/dashboard/{business}/{mode}${page.path}`,
    counted: 'no',
    takes: page.takesFile ? 'file' : 'session',
    handler: signedIn((app, request, session) =>
      answerAtBusiness(page, { app, request, session, operations }),
    ),
  })

  /**
   * A page of the operator's part, for owners of the installation who have shown a second factor.
   * For others it does not exist.
   */
  const ofOperator =
    (menu: readonly MenuGroup[]) =>
    (page: BusinessPage): PageRoute<App> => ({
      method: page.method,
      path: `/dashboard/operator${page.path}`,
      counted: 'no',
      takes: 'session',
      handler: signedIn((app, request, session) =>
        answerAtOperator(page, menu, { app, request, session, operations }),
      ),
    })

  return { open, personal, ofBusiness, ofOperator }
}

type Arrival = { app: App; request: PageRequest; session: Session; operations: Operations }

async function answerAtBusiness({ handler }: BusinessPage, arrival: Arrival): Promise<PageAnswer> {
  const { app, request, session } = arrival
  const { business = '', mode = '' } = request.params
  const isThis = ({ businessId }: Member): boolean => businessId === business
  if (session.barred.some(isThis)) return messagePage('barred', session)
  if (!session.memberships.some(isThis) || !modes.includes(mode))
    return messagePage('not_found', session)
  const kept = await keptAnswer(app, request, session)
  if (kept) return kept
  const visit = await visitOf(arrival, business, mode as Mode)
  try {
    const answer = await handler(visit)
    const place = 'html' in answer ? rememberPlace(request, business, visit.mode) : []
    return { ...answer, cookies: [...(answer.cookies ?? []), ...place] }
  } catch (error) {
    return failurePage(app, error, visit)
  }
}

async function answerAtOperator(
  { handler }: BusinessPage,
  menu: readonly MenuGroup[],
  arrival: Arrival,
): Promise<PageAnswer> {
  const { app, request, session } = arrival
  if (!session.installationOwner) return messagePage('not_found', session)
  if (!session.secondFactor.shown) return messagePage('factor_first', session)
  const kept = await keptAnswer(app, request, session)
  if (kept) return kept
  const visit = await operatorVisit(arrival, menu)
  try {
    return await handler(visit)
  } catch (error) {
    return failurePage(app, error, visit)
  }
}

async function operatorVisit(
  { app, request, session, operations }: Arrival,
  menu: readonly MenuGroup[],
): Promise<Visit> {
  const { person } = session
  const at = app.clock.now()
  await app.prices.upTo(at)
  const ctx = outside(
    app,
    operatorScope(at, {
      type: 'person',
      id: person.id,
      hint: person.email,
      scopes: ['operator', 'review'],
      address: request.address,
      at,
      provedAt: provedAtOf(session),
    }),
  )
  return {
    session,
    mode: 'live',
    stopped: null,
    operator: { menu },
    ctx,
    request,
    operations,
    business: { id: ctx.scope.businessId, name: en.operator.name },
    base: '/dashboard/operator',
    path: request.path.split('?', 1)[0] as string,
    can: (right) => right === 'operator' || right === 'review',
    show: showFor({ locale: 'en-GB', time_zone: 'UTC' }),
    country: 'gb',
    ...operationsFor(operations, ctx),
    follow: () => Promise.reject(new Error('the operator follows no stream')),
  }
}

async function visitOf(
  { app, request, session, operations }: Arrival,
  businessId: Id,
  mode: Mode,
): Promise<Visit> {
  const scope = await scopeOf(app, businessId, mode === 'live')
  const actor = actorOf(session, scope, { address: request.address, at: app.clock.now() })
  if (!actor) throw new Error('the visitor is no member')
  const member = session.memberships.find((one) => one.businessId === businessId)
  const stopped = member?.stopped ?? null
  const ctx = outside(app, { ...scope, actor, stopped })
  const business = await getBusiness(ctx)
  const mayStill = (now: Session, operation: string): boolean => {
    const still = actorOf(now, scope, { address: request.address, at: app.clock.now() })
    return still !== null && operations.allowed({ ...scope, actor: still }, operation)
  }
  return {
    session,
    mode,
    stopped,
    ctx,
    request,
    operations,
    business: { id: businessId, name: business.name },
    base: `/dashboard/${businessId}/${mode}`,
    path: request.path.split('?', 1)[0] as string,
    can: (right) => actor.scopes.includes(right),
    show: showFor(business),
    country: countryOf(business),
    ...operationsFor(operations, ctx),
    follow: (operation, input = {}) =>
      operations.follow(ctx, operation, input, {
        lastEventId: request.lastEventId,
        caller: session.id,
        signal: AbortSignal.any([
          request.signal,
          rightLost(app, request, (now) => mayStill(now, operation)),
        ]),
      }),
  }
}

/** The country of the address, or else of the language and region. */
const countryOf = ({ address, locale }: Business): string =>
  address?.country ?? new Intl.Locale(locale).region?.toLowerCase() ?? 'ng'

/** Returns the operations of the API, called as the visitor. */
function operationsFor(
  operations: Operations,
  ctx: Ctx,
): Pick<Visit, 'api' | 'operate' | 'file' | 'allowed'> {
  const operate: Visit['operate'] = (id, input, key) => operations.operate(ctx, id, input, key)
  return {
    api: clientOf(operations, ctx),
    operate,
    file: operate as Visit['file'],
    allowed: (id, keyed) => operations.allowed(ctx.scope, id, keyed),
  }
}

/** Returns a page's path without the values of its parameters, which may be tokens. */
function routeOf({ path, params }: PageRequest): string {
  const names = new Map(
    Object.entries(params).map(([name, value]) => [encodeURIComponent(value), `:${name}`]),
  )
  const [asked = ''] = path.split('?')
  return asked.replaceAll(/[^/]+/g, (part) => names.get(part) ?? part)
}

/** Returns whether the person has to sign in again or show a second factor. */
export const isUnproved = ({ code }: Refusal): boolean =>
  code === 'sign_in_again' || code === 'factor_needed'

/** Returns the page for an error of a handler. */
function failurePage(app: App, error: unknown, visit: Visit): PageAnswer {
  const { session } = visit
  if (error instanceof Refusal) {
    if (error.status === 404) return messagePage('not_found', session, visit)
    if (isUnproved(error)) return messagePage('confirm', session, visit, error.message)
    if (error.code === 'scope_missing')
      return messagePage('not_allowed', session, visit, error.message)
    return messagePage('refused', session, visit, error.message)
  }
  if (error instanceof TestDataEmptied)
    return messagePage('refused', session, visit, general.test_data_emptying[1])
  if (isUnavailable(error)) return messagePage('unavailable', session, visit)
  app.log.error({ err: error, path: routeOf(visit.request) }, 'a page of the dashboard failed')
  return messagePage('error', session, visit)
}
