/**
 * A visit: a person at a page of a business, in a mode. Who is not signed in is sent to sign in and
 * back; what is not theirs is not there.
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
import { sha256 } from '../../lib/secrets.ts'
import { operatorScope } from '../../platform/operator/operator.ts'
import {
  actorOf,
  findSession,
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

const checkEveryMs = 1_000

const modes: readonly string[] = ['test', 'live']

/** The token of a session, or null where no token is like this. */
function tokenOf(cookies: Record<string, string>): string | null {
  const token = cookies[sessionCookie] ?? ''
  return /^[\w-]{16,200}$/.test(token) ? token : null
}

/** Who is signed in by this request, or null. */
export async function sessionOf(app: App, request: PageRequest): Promise<Session | null> {
  const token = tokenOf(request.cookies)
  return token === null ? null : findSession(app, token)
}

/** Whether somebody is signed in. To look is no use of the session. */
export async function isSignedIn(app: App, cookies: Record<string, string>): Promise<boolean> {
  const token = tokenOf(cookies)
  return token !== null && (await peekSession(app, token)) !== null
}

/** Where to sign in; who has had a session is also asked to know why. */
async function signInAfter(app: App, request: PageRequest): Promise<string> {
  const token = tokenOf(request.cookies)
  const ended = token !== null && (await pendingPerson(app, token)) === null
  return `${signInAt(request.path)}${ended ? `&ended=${request.method === 'POST' ? 'form' : 'page'}` : ''}`
}

/** Whether a page of ours has sent it. */
const isFromHere = ({ site }: PageRequest): boolean => site === null || site === 'same-origin'

/**
 * Aborted when the session ends, or who has it may no longer do this. To look is no use of a
 * session: it ends in spite of an open page.
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
  request.signal.addEventListener('abort', () => clearInterval(timer))
  return lost.signal
}

/** Whether a posted form is one of this session's pages. */
export function isOwnForm(session: Session, request: PageRequest): boolean {
  const { form } = request
  if (!isFromHere(request)) return false
  return timingSafeEqual(sha256(form.csrf ?? ''), sha256(session.csrf))
}

/** What makes routes: of pages that need a session, and of those of a business. */
export type Guards = ReturnType<typeof makeGuards>

/** Makes the guards of a process. */
export function makeGuards(operations: Operations) {
  const waitFor = makePageLimit()

  /** A page for whoever is signed in. */
  const personal =
    (
      handler: (app: App, request: PageRequest, session: Session) => Promise<PageAnswer>,
    ): PageRoute<App>['handler'] =>
    async (app, request) => {
      const session = await sessionOf(app, request)
      const wait = waitFor(session ? session.id : request.address, performance.now())
      if (wait > 0) return messagePage('too_many', session)
      if (!session) return { redirect: await signInAfter(app, request) }
      if (request.method === 'POST' && !isOwnForm(session, request))
        return messagePage('out_of_date', session)
      return handler(app, request, session)
    }

  /** A page for whoever: what its forms do, they do by what is typed into them. */
  const open =
    (
      handler: (app: App, request: PageRequest, session: Session | null) => Promise<PageAnswer>,
    ): PageRoute<App>['handler'] =>
    async (app, request) => {
      const session = await sessionOf(app, request)
      const wait = waitFor(session ? session.id : request.address, performance.now())
      if (wait > 0) return messagePage('too_many', session)
      if (request.method === 'POST' && !isFromHere(request))
        return messagePage('out_of_date', session)
      try {
        return await handler(app, request, session)
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { ...messagePage('refused', session, null, error.message), status: error.status }
      }
    }

  const ofBusiness = ({
    method,
    path,
    takesFile = false,
    handler,
  }: BusinessPage): PageRoute<App> => ({
    method,
    path: `/dashboard/{business}/{mode}${path}`,
    counted: 'no',
    takes: takesFile ? 'file' : 'session',
    handler: personal(async (app, request, session) => {
      const { business = '', mode = '' } = request.params
      const isThis = ({ businessId }: Member): boolean => businessId === business
      if (session.barred.some(isThis)) return messagePage('barred', session)
      if (!session.memberships.some(isThis) || !modes.includes(mode))
        return messagePage('not_found', session)
      const visit = await visitOf(app, request, session, business, mode as Mode)
      try {
        const answer = await handler(visit)
        const place = 'html' in answer ? rememberPlace(request, business, visit.mode) : []
        return { ...answer, cookies: [...(answer.cookies ?? []), ...place] }
      } catch (error) {
        return failurePage(app, error, visit)
      }
    }),
  })

  /**
   * A page of the operator's part: for who looks after the installation and has shown a second
   * factor. Nobody else knows of it.
   */
  const ofOperator =
    (menu: readonly MenuGroup[]) =>
    ({ method, path, handler }: BusinessPage): PageRoute<App> => ({
      method,
      path: `/dashboard/operator${path}`,
      counted: 'no',
      takes: 'session',
      handler: personal(async (app, request, session) => {
        if (!session.installationOwner) return messagePage('not_found', session)
        if (!session.secondFactor.shown) return messagePage('factor_first', session)
        const visit = await operatorVisit(app, request, session, menu)
        try {
          return await handler(visit)
        } catch (error) {
          return failurePage(app, error, visit)
        }
      }),
    })

  async function operatorVisit(
    app: App,
    request: PageRequest,
    session: Session,
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
    app: App,
    request: PageRequest,
    session: Session,
    businessId: Id,
    mode: Mode,
  ): Promise<Visit> {
    const scope = await scopeOf(app, businessId, mode === 'live')
    const actor = actorOf(session, scope, { address: request.address, at: app.clock.now() })
    if (!actor) throw new Error('who visits is no member')
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

  return { open, personal, ofBusiness, ofOperator }
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

/** The path of a page without what it names, which may be a token. */
function routeOf({ path, params }: PageRequest): string {
  const names = new Map(
    Object.entries(params).map(([name, value]) => [encodeURIComponent(value), `:${name}`]),
  )
  const [asked = ''] = path.split('?')
  return asked.replaceAll(/[^/]+/g, (part) => names.get(part) ?? part)
}

/** Whether who acts has to prove once more who it is. */
export const isUnproved = ({ code }: Refusal): boolean =>
  code === 'sign_in_again' || code === 'factor_needed'

/** What a page shows of what was thrown. */
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
