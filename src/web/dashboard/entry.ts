/**
 * Where `/dashboard` leads: to the page of a business in the mode in which there is something to
 * see.
 */
import type { App } from '../../core/app.ts'
import { clientOf } from '../../core/operations.ts'
import { outside, scopeOf } from '../../core/outside.ts'
import type { Cookie, Operations, PageAnswer, PageRequest } from '../../core/route.ts'
import { html } from '../../lib/html.ts'
import type { Id } from '../../lib/ids.ts'
import type { Mode } from '../../lib/mode.ts'
import { actorOf, type Session } from '../../platform/team/team.ts'
import { barePage } from './view/layout.ts'
import { en } from './view/strings.ts'

/** The cookie that says which business and mode were looked at last. It opens nothing by itself. */
const lastCookie = 'bursar_last'
const lastAge = 365 * 86_400

/**
 * What a page of a business has the browser remember, where it is not what it remembers already.
 */
export function rememberPlace({ cookies }: PageRequest, businessId: Id, mode: Mode): Cookie[] {
  const value = `${businessId}.${mode}`
  return cookies[lastCookie] === value ? [] : [{ name: lastCookie, value, maxAge: lastAge }]
}

function lastPlace({ cookies }: PageRequest, { memberships }: Session): string | null {
  const [, businessId, mode] = /^([0-9a-f]{24})\.(test|live)$/.exec(cookies[lastCookie] ?? '') ?? []
  return memberships.some((one) => one.businessId === businessId)
    ? `/dashboard/${businessId}/${mode}`
    : null
}

/**
 * The page that was looked at last; else that of the business that the person has, or the choice of
 * several.
 */
export const entryOf =
  (operations: Operations) =>
  async (app: App, request: PageRequest, session: Session): Promise<PageAnswer> => {
    const last = lastPlace(request, session)
    if (last !== null) return { redirect: last }
    const starts = await Promise.all(
      session.memberships.map(async ({ businessId, name }) => {
        const mode = await startMode(app, operations, request, session, businessId)
        return { name, href: `/dashboard/${businessId}/${mode}` }
      }),
    )
    const [first, ...others] = starts
    if (first && others.length === 0) return { redirect: first.href }
    const list = html`<ul class="choices">${starts.map(
      ({ href, name }) => html`<li><a href="${href}"><bdi>${name}</bdi></a></li>`,
    )}</ul>`
    const main = html`<h1>${en.businesses}</h1>${first ? list : html`<p>${en.noBusiness}</p>`}${session.installationOwner && html`<p><a href="/dashboard/operator">${en.operator.word}</a></p>`}`
    return { html: barePage({ title: en.businesses, main, session }) }
  }

/** Live once money moved there; before that, test. */
async function startMode(
  app: App,
  operations: Operations,
  { address }: PageRequest,
  session: Session,
  businessId: Id,
): Promise<Mode> {
  const scope = await scopeOf(app, businessId, true)
  const actor = actorOf(session, scope, { address, at: app.clock.now() })
  if (!actor) return 'test'
  const ctx = outside(app, { ...scope, actor })
  const { docs } = await clientOf(operations, ctx).listTransactions({ query: { limit: 1 } })
  return docs.length > 0 ? 'live' : 'test'
}
