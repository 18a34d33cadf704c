/** Shows what needs attention, on the home page in short and on a page of its own in full. */
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Id } from '../../lib/ids.ts'
import { markDealtWith } from '../../platform/team/team.ts'
import { findNeeds, mostCounted, type Need, type NeedItem } from './needs.ts'
import type { BusinessPage, Visit } from './place.ts'
import { page } from './view/layout.ts'
import { messagePage } from './view/message.ts'
import { form, notice } from './view/parts.ts'
import { en } from './view/strings.ts'

const path = '/needs'
const mostAtHome = 5
const words = en.needs

/** A viewer only looks. */
const mayDeal = ({ can }: Visit): boolean =>
  ['collect', 'payout', 'refund', 'manage', 'approve'].some(can)

/** What needs attention, with the first few of each kind. */
export async function needsSection(visit: Visit): Promise<{ some: boolean; content: Html }> {
  const needs = await findNeeds(visit)
  const some = needs.length > 0
  const content = html`<section class="sheet needs"><h2>${words.title}</h2>${
    some
      ? needs.map((need) => needOf(visit, need, mostAtHome))
      : html`<p class="dim">${words.nothing}</p>`
  }</section>`
  return { some, content }
}

function needOf(visit: Visit, { title, items, isMore = false }: Need, most: number): Html {
  const { show, base } = visit
  const count = show.number(Math.min(items.length, mostCounted))
  const isOpen = isMore || items.length > mostCounted
  return html`<h3>${title} <span class="dim">(${isOpen ? words.orMore(count) : count})</span></h3><ul>${items
    .slice(0, most)
    .map(
      (item) => html`<li><div>${item.content}</div>${dealForm(visit, item)}</li>`,
    )}</ul>${items.length > most && most < mostCounted && html`<p><a href="${base}${path}">${words.all}</a></p>`}`
}

const dealForm = (visit: Visit, { subject }: NeedItem): Part =>
  subject !== undefined &&
  mayDeal(visit) &&
  form(
    visit.session.csrf,
    `${visit.base}${path}`,
    html`<input type="hidden" name="subject" value="${subject}"><input type="hidden" name="from" value="${visit.path.endsWith(path) ? 'page' : 'home'}"><button class="quiet">${words.deal}</button>`,
  )

/** The notice after something was dealt with. */
export const dealtNotice = ({ request }: Visit): Part =>
  request.query.done === 'dealt' && notice('good', words.dealt)

export const needsPages: BusinessPage[] = [
  {
    method: 'GET',
    path,
    async handler(visit) {
      const needs = await findNeeds(visit)
      const main = html`${dealtNotice(visit)}<div class="head"><h1>${words.title}</h1></div>
<section class="sheet needs">${
        needs.length === 0
          ? html`<p class="dim">${words.nothing}</p>`
          : needs.map((need) => needOf(visit, need, mostCounted))
      }</section>`
      return { html: page(visit, { title: words.title, main, above: [[visit.base, en.home]] }) }
    },
  },
  {
    method: 'POST',
    path,
    async handler(visit) {
      if (!mayDeal(visit)) return messagePage('not_allowed', visit.session, visit)
      const { subject = '', from } = visit.request.form
      const listed = (await findNeeds(visit)).flatMap(({ items }) => items)
      if (listed.some((one) => one.subject === subject))
        await visit.ctx.write((work) => markDealtWith(work, subject as Id))
      return { redirect: `${visit.base}${from === 'page' ? path : ''}?done=dealt` }
    },
  },
]
