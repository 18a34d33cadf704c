/**
 * What leads from a record to others, and pieces that several resources show.
 */
import type { OperationInput } from '../../core/route.ts'
import { type Html, html, type Part, webAddress } from '../../lib/html.ts'
import type { Doc, Place } from './place.ts'
import type { Resource, Section, Seen } from './resource.ts'
import { table, withNames } from './tables.ts'
import { code } from './view/parts.ts'
import { en, wordOf } from './view/strings.ts'

/** A link to the record of a resource. Null where there is none. */
export const linkTo = (
  { base }: Pick<Place, 'base'>,
  path: string,
  key: string | null,
  text: Part = key,
): Part =>
  key === null ? null : html`<a href="${base}/${path}/${encodeURIComponent(key)}">${text}</a>`

/** The customer of a record, by name. */
export const customerOf = ({ customer }: Doc, seen: Seen): Part =>
  linkTo(seen, 'customers', customer, seen.nameOf(customer))

/** An address of the web, with a button that copies it. */
export function webLink(address: string | null): Part {
  const href = webAddress(address)
  return href === null
    ? address
    : html`<a href="${href}" rel="noreferrer">${href}</a> ${copyButton(href)}`
}

/** Copies a text, where there is a script. */
export const copyButton = (text: string): Html =>
  html`<button type="button" class="quiet" hidden data-copy="${text}" data-done="${en.copied}">${en.copy}</button>`

/** A text to be copied to the letter. */
export const copied = (text: string | null): Part =>
  text !== null && html`${code(text)} ${copyButton(text)}`

const mostRelated = 5

/** The newest records of another resource that belong to this one, and where the others are. */
export function relatedTo(
  title: string,
  resource: Resource,
  {
    list = resource.list,
    input,
    all,
  }: { list?: string; input(doc: Doc): OperationInput; all?(doc: Doc): string },
): Section {
  return {
    title,
    async content(doc, seen) {
      if (!seen.allowed(list)) return false
      const asked = input(doc)
      const { docs, hasNextPage } = await seen.operate(list, {
        ...asked,
        query: { ...asked.query, limit: String(mostRelated) },
      })
      if (docs.length === 0) return false
      const more =
        hasNextPage &&
        all &&
        html`<p><a href="${seen.base}${all(doc)}">${en.list.seeAll(resource.more)}</a></p>`
      return html`${table(resource, docs, await withNames(seen, resource, docs))}${more}`
    },
  }
}

/** Where money goes, in one line or a few. */
export function destinationOf(destination: Doc): Part {
  const {
    card,
    chain,
    address,
    currency,
    bank_name,
    bank_code,
    routing_number,
    account_number,
    account_name,
    resolved_account_name,
    account_type,
  } = destination
  if (card)
    return html`${card.brand ? wordOf(card.brand) : en.card} ${card.last4 ? `•••• ${card.last4}` : ''}`
  if (address) return html`<code>${address}</code><br>${wordOf(currency)} · ${wordOf(chain)}`
  const holder = resolved_account_name ?? account_name
  const bank = bank_name ?? bank_code ?? routing_number
  return html`${holder && html`<bdi>${holder}</bdi><br>`}${bank && html`${bank} · `}<code>${account_number}</code>${account_type && html` (${wordOf(account_type)})`}`
}

/** The same for a list: who, or where to. */
export function shortDestination(destination: Doc): string {
  const { address, chain, account_number, account_name, resolved_account_name, bank_name } =
    destination
  if (address) return `${address.slice(0, 8)}…${address.slice(-4)} · ${chain}`
  return `${resolved_account_name ?? account_name ?? bank_name ?? ''} ${account_number ?? ''}`.trim()
}
