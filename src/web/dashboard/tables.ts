/** Shows records in a table, with the cells that most lists have. */
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { Visit } from './place.ts'
import { type AnyRecord, type Column, hrefOf, type Resource, type Seen } from './resource.ts'
import { badge } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

/** Returns the visit with the names of the customers of some records. */
export async function withNames(
  visit: Visit,
  { namesCustomers }: Pick<Resource, 'namesCustomers'>,
  docs: readonly Pick<AnyRecord, 'customer'>[],
): Promise<Seen> {
  const ids = namesCustomers
    ? [...new Set(docs.flatMap(({ customer }) => (customer ? [customer] : [])))]
    : []
  const nameOf = async (id: string): Promise<readonly [string, string]> => {
    try {
      return [id, (await visit.api.getCustomer({ params: { id } })).name]
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

type Listed = Pick<Resource, 'path' | 'key'> & { columns: readonly Column[] }

/** The head of a column goes where its cells go. */
function classOf({ less, right }: Pick<Column, 'less' | 'right'>, content?: Part): Part {
  const isNone = content === en.none
  const names = [less && 'less', right && 'right', isNone && 'none'].filter(Boolean).join(' ')
  return names !== '' && html` class="${names}"`
}

/**
 * Shows records as a table; on a phone, each row has two columns.
 * @param pick the box by which a record is chosen
 */
export function table(
  resource: Listed,
  docs: readonly AnyRecord[],
  seen: Seen,
  pick?: (doc: AnyRecord) => Html,
): Html {
  const { columns } = resource
  return html`<div class="table"><table class="list"><thead><tr>${columns.map(
    (column) => html`<th scope="col"${classOf(column)}>${column.title}</th>`,
  )}</tr></thead><tbody>${docs.map(
    (doc) =>
      html`<tr>${columns.map((column, i) => {
        const content = column.cell(doc, seen)
        return html`<td${classOf(column, content)}>${
          i === 0
            ? firstCell(html`<a href="${hrefOf(seen, resource, doc)}">${content}</a>`, pick?.(doc))
            : content
        }</td>`
      })}</tr>`,
  )}</tbody></table></div>`
}

const firstCell = (link: Html, box: Html | undefined): Html =>
  box ? html`<span class="picked">${box}${link}</span>` : link

/** A cell of a table that a phone shows as a list, with the head of its column beside it. */
export const labeled = (title: string, content: Part, right = true): Html =>
  html`<td data-label="${title}"${right && html` class="right"`}>${content}</td>`

type Having<Name extends string, Value> = { readonly [_ in Name]?: Value }

type Showing = Pick<Visit, 'show'>

const moneyOf = (amount: number | null | undefined, currency: string, show: Visit['show']): Part =>
  amount === null || amount === undefined ? en.none : show.money(amount, currency)

/** The cells that most lists have. */
export const cells = {
  money:
    <Name extends string>(name: Name) =>
    (doc: Having<Name, number | null> & { currency: string }, { show }: Showing): Part =>
      moneyOf(doc[name], doc.currency, show),
  moneyIn:
    <Name extends string, Currency extends string>(name: Name, currency: Currency) =>
    (doc: Having<Name, number | null> & Having<Currency, string>, { show }: Showing): Part =>
      moneyOf(doc[name], doc[currency] ?? '', show),
  status: ({ status }: { status: string }): Part => badge(status),
  created: ({ created_at }: { created_at: string }, { show }: Showing): Part =>
    html`<time datetime="${created_at}">${show.time(created_at)}</time>`,
  text:
    <Name extends string>(name: Name) =>
    (doc: Having<Name, string | null>): Part => {
      const text: string | null | undefined = doc[name]
      return text === null ? en.none : html`<bdi>${text}</bdi>`
    },
  word:
    <Name extends string>(name: Name) =>
    (doc: Having<Name, string | null>): Part => {
      const code: string | null | undefined = doc[name]
      return code === null || code === undefined ? en.none : html`<span>${wordOf(code)}</span>`
    },
}
