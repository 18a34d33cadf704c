/**
 * Records in a table, and the cells that most of them have.
 */
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Doc, Visit } from './place.ts'
import { hrefOf, type Resource, type Seen } from './resource.ts'
import { badge } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

/** The visit, with the names of the customers of some records. */
export async function withNames(
  visit: Visit,
  { namesCustomers }: Pick<Resource, 'namesCustomers'>,
  docs: Doc[],
): Promise<Seen> {
  const ids = namesCustomers
    ? [...new Set(docs.flatMap(({ customer }) => (customer ? [customer as string] : [])))]
    : []
  const nameOf = async (id: string): Promise<readonly [string, string]> => {
    try {
      return [id, (await visit.operate('getCustomer', { params: { id } })).name]
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return [id, en.deleted]
      throw error
    }
  }
  const names = new Map(await Promise.all(ids.map(nameOf)))
  return {
    ...visit,
    nameOf: (id) => (id === null ? null : html`<bdi>${names.get(id) ?? id}</bdi>`),
  }
}

/** The records as a table; on a phone, a row of two columns each. */
export function table(resource: Resource, docs: readonly Doc[], seen: Seen): Html {
  const { columns } = resource
  return html`<div class="table"><table class="list"><thead><tr>${columns.map(
    ({ title, right }) => html`<th scope="col"${right && html` class="right"`}>${title}</th>`,
  )}</tr></thead><tbody>${docs.map(
    (doc) =>
      html`<tr>${columns.map(({ cell, less, right }, i) => {
        const content = cell(doc, seen)
        const style = [less && 'less', right && 'right'].filter(Boolean).join(' ')
        return html`<td${style !== '' && html` class="${style}"`}>${
          i === 0 ? html`<a href="${hrefOf(seen, resource, doc)}">${content}</a>` : content
        }</td>`
      })}</tr>`,
  )}</tbody></table></div>`
}

/** The cells that most lists have. */
export const cells = {
  money:
    (amount: string, currency = 'currency') =>
    ({ [amount]: value, [currency]: of }: Doc, { show }: Seen): Part =>
      value === null || value === undefined ? en.none : show.money(value, of),
  status: ({ status }: Doc): Part => badge(status),
  created: ({ created_at }: Doc, { show }: Seen): Part =>
    html`<time datetime="${created_at}">${show.time(created_at)}</time>`,
  text:
    (name: string) =>
    (doc: Doc): Part =>
      doc[name] === null
        ? html`<span class="dim">${en.none}</span>`
        : html`<bdi>${doc[name]}</bdi>`,
  word:
    (name: string) =>
    (doc: Doc): Part =>
      doc[name] === null ? en.none : html`<span>${wordOf(doc[name])}</span>`,
}
