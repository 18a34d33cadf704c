/**
 * What leads from a record to others, and pieces that several resources show.
 */

import type { OperationId } from '../../core/operations.ts'
import type { OperationInput } from '../../core/route.ts'
import { type Html, html, type Part, webAddress } from '../../lib/html.ts'
import type { Place } from './place.ts'
import type { AnyRecord, Resource, Section, Seen } from './resource.ts'
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
export const customerOf = ({ customer }: { customer: string | null }, seen: Seen): Part =>
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
  resource: Pick<Resource, 'path' | 'key' | 'list' | 'more' | 'namesCustomers' | 'columns'>,
  {
    list = resource.list,
    input,
    all,
  }: { list?: OperationId; input(doc: AnyRecord): OperationInput; all?(doc: AnyRecord): string },
): Section {
  return {
    title,
    async content(doc, seen) {
      if (!seen.allowed(list)) return false
      const { query, ...others } = input(doc)
      const listed = await seen.operate(list, {
        ...others,
        query: { ...query, limit: mostRelated },
      })
      const { docs, hasNextPage } = listed as { docs: AnyRecord[]; hasNextPage: boolean }
      if (docs.length === 0) return false
      const more =
        hasNextPage &&
        all &&
        html`<p><a href="${seen.base}${all(doc)}">${en.list.seeAll(resource.more)}</a></p>`
      return html`${table(resource, docs, await withNames(seen, resource, docs))}${more}`
    },
  }
}

/** What the pages read of a destination: a bank account, an address on a chain or a card. */
export type Destination = {
  card?: { brand?: string | null; last4?: string | null } | null
  chain?: string | null
  address?: string | null
  currency?: string | null
  country?: string | null
  bank_name?: string | null
  bank_code?: string | null
  routing_number?: string | null
  account_number?: string | null
  account_name?: string | null
  resolved_account_name?: string | null
  account_type?: string | null
}

/** Describes a destination in full: holder, bank and account, or token, network and address. */
export function destinationOf(destination: Destination): Part {
  const { card, address, account_number, account_type } = destination
  if (card)
    return html`${card.brand ? wordOf(card.brand) : en.card} ${card.last4 ? `•••• ${card.last4}` : ''}`
  if (address)
    return html`<code>${address}</code><br>${wordOf(destination.currency ?? '')} · ${wordOf(destination.chain ?? '')}`
  const holder = destination.resolved_account_name ?? destination.account_name
  const bank = destination.bank_name ?? destination.bank_code ?? destination.routing_number
  return html`${holder && html`<bdi>${holder}</bdi><br>`}${bank && html`${bank} · `}<code>${account_number}</code>${account_type && html` (${wordOf(account_type)})`}`
}

/** Describes a destination in one line, for lists. */
export function shortDestination(destination: Destination): string {
  const { address, chain, account_number, account_name, resolved_account_name, bank_name } =
    destination
  if (address) return `${address.slice(0, 8)}…${address.slice(-4)} · ${chain}`
  return `${resolved_account_name ?? account_name ?? bank_name ?? ''} ${account_number ?? ''}`.trim()
}
