/**
 * Saved views: a list's filters under a name of the person's own, as links above the list and a
 * page to keep them.
 */
import type { PageAnswer } from '../../core/route.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import {
  deleteView,
  listViews,
  renameView,
  saveView,
  type ViewsOf,
} from '../../platform/team/team.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { Resource } from './resource.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { type Field, field, form, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

const words = en.views

const ofList = ({ session, business }: Visit, { path }: Resource): ViewsOf => ({
  businessId: business.id,
  personId: session.person.id,
  list: path,
})

/**
 * The person's views, and a way to save this one. @param query of the list as it is shown, from its
 * `?` on
 */
export async function viewsNav(visit: Visit, resource: Resource, query: string): Promise<Part> {
  const views = await listViews(visit.ctx, ofList(visit, resource))
  const at = `${visit.base}/${resource.path}`
  const saved = views.some((one) => one.query === query)
  if (views.length === 0 && query === '') return null
  return html`<nav class="views" aria-label="${words.title}">${views.map(
    (one) =>
      html`<a href="${at}${one.query}"${one.query === query && html` aria-current="page"`}><bdi>${one.name}</bdi></a>`,
  )}${query !== '' && !saved && html`<a class="act" href="${at}/-/views${query}">${words.save}</a>`}${
    views.length > 0 && html`<a class="act" href="${at}/-/views">${words.change}</a>`
  }</nav>`
}

/** Whether a filter takes a day. */
export const takesDay = (name: string): boolean =>
  ['from', 'to', 'completed_from', 'completed_to'].includes(name)

/** What a query narrows a list to, in words. */
const shownOf = (query: string, { show }: Visit): string =>
  [...new URLSearchParams(query)]
    .map(([name, value]) => {
      const days = takesDay(name) && /^\d{4}-\d\d-\d\d$/.test(value)
      const said = days
        ? show.date(value)
        : /^[a-z_]+$/.test(value) && name !== 'search'
          ? wordOf(value)
          : value
      return `${en.filters[name as keyof typeof en.filters] ?? wordOf(name)}: ${said}`
    })
    .join(', ')

type Wrong = { of: string; typed: string; refusal: Refusal }

async function viewsPage(
  visit: Visit,
  resource: Resource,
  query: string,
  wrong: Wrong | null,
): Promise<PageAnswer> {
  const { session, base } = visit
  const views = await listViews(visit.ctx, ofList(visit, resource))
  const at = `${base}/${resource.path}/-/views`
  const input = (of: string, name = ''): Html => {
    const asked: Field = {
      name: of,
      label: words.name,
      kind: 'text',
      required: true,
      maxLength: 100,
    }
    return wrong?.of === of ? field(asked, wrong.typed, wrong.refusal.message) : field(asked, name)
  }
  const save =
    query !== '' &&
    html`<section class="sheet fields"><h2>${words.save}</h2><p class="hint">${words.filters} ${shownOf(query, visit)}</p>${form(
      session.csrf,
      at,
      html`<input type="hidden" name="query" value="${query}">${input('name')}<button>${words.save}</button>`,
    )}</section>`
  const known = views.map(
    (one) =>
      html`<section class="sheet fields"><h2><a href="${base}/${resource.path}${one.query}"><bdi>${one.name}</bdi></a></h2>${form(
        session.csrf,
        `${at}/${one.id}`,
        html`${input(`name-${one.id}`, one.name)}<div class="buttons"><button class="second" name="step" value="rename">${words.rename}</button><button class="second" name="step" value="delete" formnovalidate aria-label="${words.deleteOf(one.name)}">${words.delete}</button></div>`,
      )}</section>`,
  )
  const title = `${resource.title}: ${words.title}`
  const main = html`<div class="narrow"><div class="head"><h1>${title}</h1></div>${wrong && notice('bad', en.mend)}${save}${known}${
    query === '' && views.length === 0 && html`<div class="sheet"><p>${words.none}</p></div>`
  }</div>`
  const above = [[`${base}/${resource.path}`, resource.title]] as const
  return {
    html: page(visit, { title: wrong ? en.wrong(title) : title, main, above }),
    status: wrong ? wrong.refusal.status : 200,
  }
}

/**
 * The pages of a list's views.
 * @param readQuery what of a query the list knows, from its `?` on, in one order; empty where it
 * knows nothing of it
 */
export function viewPages(
  resource: Resource,
  readQuery: (visit: Visit, query: Record<string, string>) => string,
): BusinessPage[] {
  const path = `/${resource.path}/-/views`
  const guarded =
    (handler: BusinessPage['handler']): BusinessPage['handler'] =>
    async (visit) =>
      visit.allowed(resource.list)
        ? handler(visit)
        : messagePage('not_allowed', visit.session, visit)
  /** Does it, and goes back to the list or says at the field what is wrong. */
  const tried = async (
    visit: Visit,
    of: string,
    query: string,
    work: () => Promise<void>,
  ): Promise<PageAnswer> => {
    try {
      await work()
      return {
        redirect: of === 'name' ? `${visit.base}/${resource.path}${query}` : `${visit.base}${path}`,
      }
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'name_invalid') throw error
      return viewsPage(visit, resource, query, {
        of,
        typed: visit.request.form[of] ?? '',
        refusal: error,
      })
    }
  }
  return [
    {
      method: 'GET',
      path,
      handler: guarded((visit) =>
        viewsPage(visit, resource, readQuery(visit, visit.request.query), null),
      ),
    },
    {
      method: 'POST',
      path,
      handler: guarded(async (visit) => {
        const { name = '', query: sent = '' } = visit.request.form
        const query = readQuery(
          visit,
          Object.fromEntries(new URLSearchParams(sent.slice(0, 2_000))),
        )
        if (query === '') return { redirect: `${visit.base}${path}` }
        return tried(visit, 'name', query, () =>
          saveView(visit.ctx, ofList(visit, resource), { name, query }),
        )
      }),
    },
    {
      method: 'POST',
      path: `${path}/{view}`,
      handler: guarded(async (visit) => {
        const { view = '' } = visit.request.params
        const { step, [`name-${view}`]: name = '' } = visit.request.form
        const of = ofList(visit, resource)
        return tried(visit, `name-${view}`, '', () =>
          step === 'delete'
            ? deleteView(visit.ctx, of, view)
            : renameView(visit.ctx, of, view, name),
        )
      }),
    },
  ]
}
