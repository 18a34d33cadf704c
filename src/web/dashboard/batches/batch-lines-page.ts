/** All lines of a batch, a page at a time. */
import { html } from '../../../lib/html.ts'
import type { BusinessPage } from '../place.ts'
import { page } from '../view/layout.ts'
import { en } from '../view/strings.ts'
import { type Kind, kinds, linesOf, linesTable, pathOf, withHolders } from './batch-lines.ts'

export const linesPage: BusinessPage = {
  method: 'GET',
  path: '/payout-batches/{key}/lines',
  async handler(visit) {
    const { base, request, show } = visit
    const doc = await visit.api.getPayoutBatch({ params: { id: request.params.key ?? '' } })
    const kind = Object.hasOwn(kinds, request.query.show ?? '')
      ? (request.query.show as Kind)
      : 'all'
    const number = /^[1-9]\d{0,4}$/.test(request.query.page ?? '') ? Number(request.query.page) : 1
    const listed = await linesOf(visit, doc, kind, number)
    const lines = doc.status === 'draft' ? await withHolders(visit, listed.docs) : listed.docs
    const title = `Recipients of ${doc.reference}`
    const to = (place: number): string => {
      const query = new URLSearchParams({ show: kind, page: String(place) })
      return `${base}/payout-batches/${doc.id}/lines?${query.toString()}`
    }
    const main = html`<div class="head"><div><h1>${title}</h1></div></div>
<nav class="tabs" aria-label="Lines">${(Object.keys(kinds) as Kind[]).map(
      (one) =>
        html`<a href="${pathOf(visit, doc, one)}"${one === kind && html` aria-current="page"`}>${kinds[one][0]}</a>`,
    )}</nav>
${lines.length > 0 ? html`<section class="sheet">${linesTable(title, doc, lines, visit)}</section>` : html`<div class="sheet"><p>${en.list.emptyFiltered}</p></div>`}
<nav class="pages" aria-label="${en.list.pages}"><p>${en.list.total(show.number(listed.totalDocs), 'line', 'lines')}</p><div class="buttons">
${listed.hasPrevPage && html`<a class="button second" rel="prev" href="${to(number - 1)}">${en.list.previous}</a>`}
${listed.hasNextPage && html`<a class="button second" rel="next" href="${to(number + 1)}">${en.list.next}</a>`}</div></nav>`
    const above = [
      [`${base}/payout-batches`, 'Batches'],
      [`${base}/payout-batches/${doc.id}`, `Batch ${doc.reference}`],
    ] as const
    return { html: page(visit, { title, main, above }) }
  },
}
