/**
 * The list of a resource: search, filters as the API's list takes them, pages, and the file of all
 * of it.
 */
import type { OperationId } from '../../core/operations.ts'
import type { PageAnswer } from '../../core/route.ts'
import { dayOf } from '../../lib/days.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { moneyFault, readMoney } from '../../lib/typed-money.ts'
import { listTable } from './bulk.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { AnyRecord, Resource } from './resource.ts'
import { icons } from './view/icons.ts'
import { page } from './view/layout.ts'
import { type Field, field, notice } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'
import { takesDay, viewPages, viewsNav } from './views.ts'

const perPage = 25
/** Up to where the API counts what was searched for. */
const mostCounted = 10_000
const sought = ['amount', 'email', 'reference', 'search', 'number', 'actor', 'approval']

type Choices = Awaited<ReturnType<NonNullable<Resource['choices']>>>
type Property = { enum?: unknown[]; type?: string; anyOf?: unknown }

/** What the list of a resource can be narrowed by, as its schema says. */
export function filtersOf(
  { operations }: Pick<Visit, 'operations'>,
  { list }: Resource,
): Record<string, Property> {
  const { page: _page, limit, after, search, ...filters } = propertiesOf(operations.route(list))
  return filters
}

const propertiesOf = (route: { schema: { query?: object } }): Record<string, Property> =>
  (route.schema.query as { properties?: Record<string, Property> } | undefined)?.properties ?? {}

/** A filter as a field of the form. Ids are not for typing: they come with links. */
function fieldOf(
  name: string,
  { enum: values, type }: Property,
  choices: Choices,
  typed = '',
): Field {
  const label = en.filters[name as keyof typeof en.filters] ?? wordOf(name)
  const any = ['', en.any] as const
  const chosen = choices[name]
  if (chosen) {
    const known = typed === '' || chosen.some(([value]) => value === typed)
    return {
      name,
      label,
      kind: 'select',
      options: [any, ...chosen, ...(known ? [] : [[typed, typed] as const])],
    }
  }
  if (values)
    return {
      name,
      label,
      kind: 'select',
      options: [any, ...values.map((one) => [String(one), wordOf(String(one))] as const)],
    }
  if (type === 'boolean')
    return { name, label, kind: 'select', options: [any, ['true', en.yes], ['false', en.no]] }
  if (takesDay(name)) return { name, label, kind: 'date' }
  if (name === 'amount') return { name, label, kind: 'money' }
  return { name, label, kind: 'text' }
}

const linkedFilters = ['customer', 'payment', 'webhook_id', 'event_id']

/**
 * The filters of a query that the list has, and what is wrong with them. Amounts are typed in major
 * units.
 */
function readFilters(
  visit: Visit,
  resource: Resource,
  query: Record<string, string> = visit.request.query,
) {
  const known = { ...filtersOf(visit, resource), ...(resource.searches ? { search: {} } : {}) }
  const typed = Object.fromEntries(
    Object.keys(known).flatMap((name) => (query[name]?.trim() ? [[name, query[name].trim()]] : [])),
  )
  const errors: Record<string, string> = {}
  const asked = { ...typed }
  if (typed.amount !== undefined) {
    const { locale } = visit.show
    const read = readMoney(typed.amount, locale, 'any')
    if (read.amount === null) errors.amount = moneyFault(typed.amount, read, locale)
    else asked.amount = String(read.amount)
  }
  return { typed, asked, errors }
}

const queryText = (values: Record<string, string | number>): string => {
  const text = new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  return text === '' ? '' : `?${text}`
}

const wholeNumber = (text: string | undefined): number =>
  /^[1-9]\d{0,8}$/.test(text ?? '') ? Number(text) : 1

type Listed = { docs: AnyRecord[]; totalDocs: number; hasNextPage: boolean }
const nothing: Listed = { docs: [], totalDocs: 0, hasNextPage: false }

function listPageOf(resource: Resource): BusinessPage['handler'] {
  return async (visit) => {
    const { typed, asked, errors } = readFilters(visit, resource)
    const number = wholeNumber(visit.request.query.page)
    const { after } = visit.request.query
    const place = after ? { after } : { page: number }
    let said: string | null = null
    const ask = async (): Promise<Listed> => {
      if (Object.keys(errors).length > 0) return nothing
      try {
        const query = { ...asked, ...place, limit: String(perPage) }
        return (await visit.operate(resource.list, { query })) as Listed
      } catch (error) {
        if (!(error instanceof Refusal) || error.status >= 500 || error.code === 'scope_missing')
          throw error
        said = takeIssues(
          error,
          Object.keys(typed).filter((name) => name !== resource.tabs),
          errors,
        )
          ? null
          : error.message
        return nothing
      }
    }
    const isWhole = Object.keys(typed).length === 0 && number === 1 && !after
    const [listed, above, views, choices] = await Promise.all([
      ask(),
      isWhole && resource.above?.(visit),
      viewsNav(visit, resource, queryText(typed)),
      resource.choices?.(visit),
    ])
    const main = html`${doneOf(visit, resource)}${headOf(visit, resource)}
${listed.docs.length > 0 && above}
${tabsOf(visit, resource, typed)}
${views}
${searchForm(visit, resource, typed, errors, choices ?? {})}
${said !== null && notice('bad', said)}
${listed.docs.length > 0 ? await listTable(visit, resource, listed.docs) : emptyOf(visit, resource, typed)}
${pagesOf(visit, resource, typed, listed, number, after !== undefined)}`
    return {
      html: page(visit, { title: resource.title, main }),
      status: said || Object.keys(errors).length ? 400 : 200,
    }
  }
}

/** What was done to a record that has no page any more, such as one that was deleted. */
function doneOf({ request }: Visit, { path, actions }: Resource): Part {
  const action = actions.find(({ name }) => request.query.done === `${path}.${name}`)
  return action && notice('good', action.done)
}

/** Puts what a refusal says of fields beside them. @returns false when something is left to say */
function takeIssues(refusal: Refusal, names: string[], errors: Record<string, string>): boolean {
  const issues = Array.isArray(refusal.data)
    ? (refusal.data as { path: string; message: string }[])
    : []
  const taken = issues.filter(({ path }) => names.includes(path))
  for (const { path, message } of taken) errors[path] ??= message
  return taken.length > 0 && taken.length === issues.length
}

/** The files of a list that have a button of their own, by what asks its export for them. */
const fileOptions = { spreadsheet: en.list.exportForExcel, by_tax_rate: en.list.exportByTaxRate }

const headOf = (visit: Visit, { title, path, create }: Resource): Html =>
  html`<div class="head"><div><h1>${title}</h1></div>${
    create &&
    visit.allowed(create.operation) &&
    html`<div class="buttons"><a class="button" href="${visit.base}/${path}/-/${create.name}">${icons.plus} ${create.title}</a></div>`
  }</div>`

/** The links to the files of a list, as it is filtered. */
function filesOf(
  { base, operations }: Visit,
  { path, exports }: Resource,
  typed: Record<string, string>,
): Part {
  if (exports === undefined) return null
  const options = propertiesOf(operations.route(exports))
  const link = (asked: Record<string, string>, title: string): Html =>
    html`<a href="${base}/${path}/-/export${queryText(asked)}">${title}</a>`
  return html`<div class="files">${link(typed, en.list.export)}${Object.entries(fileOptions)
    .filter(([name]) => name in options)
    .map(([name, title]) => link({ ...typed, [name]: 'true' }, title))}</div>`
}

/** The filters of a query that are no tab. */
const withoutTabs = (
  typed: Record<string, string>,
  { tabs, moreTabs = [] }: Resource,
): Record<string, string> => {
  const names = [tabs, ...moreTabs.map(([, filter]) => filter)]
  return Object.fromEntries(Object.entries(typed).filter(([name]) => !names.includes(name)))
}

function tabsOf(visit: Visit, resource: Resource, { ...typed }: Record<string, string>): Part {
  const { tabs, path } = resource
  if (!tabs) return null
  const property = filtersOf(visit, resource)[tabs] as Property
  const values = property.enum ?? (property.type === 'boolean' ? ['true', 'false'] : [])
  const now = typed[tabs] ?? ''
  const more = resource.moreTabs ?? []
  const other = more.some(([, filter, value]) => typed[filter] === value)
  return html`<nav class="tabs" aria-label="${en.filters[tabs as keyof typeof en.filters] ?? wordOf(tabs)}">${[
    '',
    ...values,
  ].map((value) => {
    const others = withoutTabs(typed, resource)
    const href = `${visit.base}/${path}${queryText(value === '' ? others : { ...others, [tabs]: String(value) })}`
    const text =
      value === ''
        ? en.all
        : tabs in en.tabs
          ? en.tabs[tabs as keyof typeof en.tabs][value as 'true' | 'false']
          : wordOf(String(value))
    return html`<a href="${href}"${now === value && !other && html` aria-current="page"`}>${text}</a>`
  })}${more.map(([title, filter, value]) => {
    const others = withoutTabs(typed, resource)
    const href = `${visit.base}/${path}${queryText({ ...others, [filter]: value })}`
    return html`<a href="${href}"${typed[filter] === value && html` aria-current="page"`}>${title}</a>`
  })}</nav>`
}

function searchForm(
  visit: Visit,
  resource: Resource,
  typed: Record<string, string>,
  errors: Record<string, string>,
  choices: Choices,
): Html {
  const { path, searches, tabs = '' } = resource
  const filters = Object.entries(filtersOf(visit, resource))
  const shown = filters.filter(
    ([name]) => name !== tabs && (!linkedFilters.includes(name) || typed[name] !== undefined),
  )
  const open = shown.some(([name]) => typed[name] !== undefined)
  const kept =
    typed[tabs] !== undefined && html`<input type="hidden" name="${tabs}" value="${typed[tabs]}">`
  return html`<form class="filters" method="get" action="${visit.base}/${path}" role="search">${kept}
${
  searches &&
  html`<div class="find"><label class="unseen" for="f-search">${en.list.search}</label>
<div class="input">${icons.search}<input id="f-search" type="search" name="search" value="${typed.search ?? ''}" placeholder="${searches}" maxlength="200"${errors.search && html` aria-invalid="true" aria-describedby="f-search-error"`}></div><button class="second">${en.list.search}</button></div>
${errors.search && html`<p class="wrong" id="f-search-error">${errors.search}</p>`}`
}
${
  shown.length > 0 &&
  html`<details${open && html` open`}><summary>${en.list.filters}</summary><div class="grid">${shown.map(
    ([name, property]) =>
      field(
        fieldOf(name, property, choices, typed[name]),
        typed[name] ?? '',
        errors[name] ?? null,
        true,
      ),
  )}<div class="buttons"><button class="second">${en.list.apply}</button>${open && html`<a class="button second" href="${visit.base}/${path}">${en.list.clear}</a>`}</div></div></details>`
}${filesOf(visit, resource, typed)}</form>`
}

function emptyOf(
  visit: Visit,
  { about, create, path, more }: Resource,
  typed: Record<string, string>,
): Html {
  if (Object.keys(typed).length > 0)
    return html`<div class="sheet"><p>${en.list.emptyFiltered} <a href="${visit.base}/${path}">${en.list.clear}</a></p></div>`
  return html`<div class="sheet empty"><h2>${en.list.empty(more)}</h2><p>${about}</p>${
    create &&
    visit.allowed(create.operation) &&
    html`<p><a class="button" href="${visit.base}/${path}/-/${create.name}">${icons.plus} ${create.title}</a></p>`
  }</div>`
}

/**
 * The way forward goes on behind the last record, so that it costs the same at any depth; the way
 * back by number.
 */
function pagesOf(
  visit: Visit,
  { path, one, more }: Resource,
  typed: Record<string, string>,
  { docs, totalDocs, hasNextPage }: Listed,
  number: number,
  followed: boolean,
): Part {
  if (docs.length === 0 && number === 1 && !followed) return null
  const to = (place: Record<string, string | number>): string =>
    `${visit.base}/${path}${queryText({ ...typed, ...place })}`
  const { number: shown } = visit.show
  const isOpen =
    totalDocs >= mostCounted &&
    [...sought, ...linkedFilters].some((name) => typed[name] !== undefined)
  const total = isOpen
    ? en.list.totalAtLeast(shown(totalDocs), more)
    : en.list.total(shown(totalDocs), one, more)
  const last = docs.at(-1)
  return html`<nav class="pages" aria-label="${en.list.pages}"><p>${total}${
    number > 1 &&
    html` · ${en.list.page(shown(number), shown(Math.max(number, Math.ceil(totalDocs / perPage))))}`
  }</p><div class="buttons">
${number > 1 && html`<a class="button second" rel="prev" href="${number === 2 ? to({}) : to({ page: number - 1 })}">${en.list.previous}</a>`}
${hasNextPage && last && html`<a class="button second" rel="next" href="${to({ page: number + 1, after: last.id })}">${en.list.next}</a>`}
</div></nav>`
}

/** The file of a list: what the API's export answers, by the same filters. */
function exportOf(resource: Resource, exports: OperationId): BusinessPage['handler'] {
  return async (visit): Promise<PageAnswer> => {
    const { asked, errors } = readFilters(visit, resource)
    const [wrong] = Object.values(errors)
    if (wrong !== undefined) throw new Refusal('validation_failed', 422, wrong)
    const query = Object.fromEntries(
      Object.entries(asked).filter(
        ([name]) => name in propertiesOf(visit.operations.route(exports)),
      ),
    )
    for (const name of Object.keys(fileOptions))
      if (visit.request.query[name] === 'true') query[name] = 'true'
    const file = await visit.file(exports, { query })
    const day = dayOf(visit.ctx.scope.now, visit.show.timeZone)
    return { file, contentType: 'text/csv; charset=utf-8', name: `${resource.path}-${day}.csv` }
  }
}

/** The pages of a resource's list. */
export function listPages(resource: Resource): BusinessPage[] {
  const { path, exports } = resource
  const list: BusinessPage = { method: 'GET', path: `/${path}`, handler: listPageOf(resource) }
  const views = viewPages(resource, (visit, query) =>
    queryText(readFilters(visit, resource, query).typed),
  )
  return exports
    ? [
        list,
        ...views,
        { method: 'GET', path: `/${path}/-/export`, handler: exportOf(resource, exports) },
      ]
    : [list, ...views]
}
