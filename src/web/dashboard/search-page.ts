/**
 * One search over all kinds of records, pages and actions. With scripts, `/` or Ctrl+K opens it over
 * any page; without them, it is this page.
 */
import { Refusal } from '../../lib/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { menu, openItems } from './menu.ts'
import type { BusinessPage, Visit } from './place.ts'
import type { AnyRecord, Resource } from './resource.ts'
import { resources } from './resources.ts'
import { table, withNames } from './tables.ts'
import { icons } from './view/icons.ts'
import { page } from './view/layout.ts'
import { en } from './view/strings.ts'

const words = {
  title: 'Search',
  about: 'References, names, email addresses, amounts, ids, or the last four digits of a card.',
  none: 'Nothing was found. Lists have further filters.',
  go: 'Pages and actions',
}

const mostOfKind = 5
const mostLinks = 12

/** The records of a kind that a text finds, and where the others are. */
async function foundOf(visit: Visit, resource: Resource, text: string): Promise<Html | null> {
  if (!visit.allowed(resource.list)) return null
  try {
    const query = { search: text, limit: String(mostOfKind) }
    const listed = await visit.operate(resource.list, { query })
    const { docs, hasNextPage } = listed as { docs: AnyRecord[]; hasNextPage: boolean }
    if (docs.length === 0) return null
    const all = `${visit.base}/${resource.path}?search=${encodeURIComponent(text)}`
    return html`<section class="sheet"><h2>${resource.title}</h2>${table(resource, docs, await withNames(visit, resource, docs))}${hasNextPage && html`<p><a href="${all}">${en.list.seeAll(resource.more)}</a></p>`}</section>`
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return null
    throw error
  }
}

/** Pages of the menu, and forms that create something, by a part of their names. */
function linksOf(visit: Visit, text: string): (readonly [href: string, title: string])[] {
  const wanted = text.toLowerCase()
  const creations = resources.flatMap(({ path, create }) =>
    create && visit.allowed(create.operation)
      ? [[`/${path}/-/${create.name}`, create.title] as const]
      : [],
  )
  const pages = menu
    .flatMap((group) => openItems(group, visit))
    .map(({ path, title }) => [path, title] as const)
  return [...creations, ...pages]
    .filter(([, title]) => title.toLowerCase().includes(wanted))
    .slice(0, mostLinks)
    .map(([path, title]) => [`${visit.base}${path}`, title])
}

export const searchPage: BusinessPage = {
  method: 'GET',
  path: '/search',
  async handler(visit) {
    const text = (visit.request.query.q ?? '').trim().slice(0, 200)
    const searched = text === '' ? [] : resources.filter(({ searches }) => searches !== undefined)
    const found = await Promise.all(searched.map((one) => foundOf(visit, one, text)))
    const links = linksOf(visit, text)
    const isEmpty = links.length === 0 && found.every((one) => one === null)
    const main = html`<div class="head"><div><h1>${words.title}</h1><p class="dim">${words.about}</p></div></div>
<form class="filters" method="get" action="${visit.base}/search" role="search"><div class="find"><label class="unseen" for="f-q">${words.title}</label>
<div class="input">${icons.search}<input id="f-q" type="search" name="q" value="${text}" maxlength="200"></div><button class="second">${en.list.search}</button></div></form>
<div id="found">${
      links.length > 0 &&
      html`<section class="sheet"><h2>${words.go}</h2><ul>${links.map(([href, title]) => html`<li><a href="${href}">${title}</a></li>`)}</ul></section>`
    }${found}${isEmpty && html`<div class="sheet"><p>${words.none}</p></div>`}</div>`
    return { html: page(visit, { title: words.title, main }) }
  },
}
