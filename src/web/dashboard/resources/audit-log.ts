import type { AnswerOf } from '../../../core/operations.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { listMembers } from '../../../platform/team/team.ts'
import type { Place } from '../place.ts'
import { copied, linkTo } from '../related.ts'
import type { Resource } from '../resource.ts'
import type { Show } from '../show.ts'
import { cells } from '../tables.ts'
import { code } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'

type AuditEntry = AnswerOf<'getAuditEntry'>
type Actor = AuditEntry['actor']

const nameOf = ({ type, hint, id }: Actor): Part =>
  type === 'operator' ? 'The operator' : html`<bdi>${hint ?? id}</bdi>`

const whoOf = (place: Place, actor: Actor): Part =>
  actor.type === 'key'
    ? html`The key ${linkTo(place, 'keys', actor.id, code(actor.hint ?? actor.id ?? ''))}`
    : nameOf(actor)

/** Where what was changed has its page, by the action. */
const pathOf: Readonly<Record<string, string>> = {
  collection: 'collections',
  conversion: 'conversions',
  invoice: 'invoices',
  key: 'keys',
  payment: 'payments',
  payout_batch: 'payout-batches',
  refund: 'refunds',
  webhook: 'webhooks',
}

function subjectOf(place: Place, { action, subject, after }: AuditEntry): Part {
  const [kind, done] = action.split('.')
  const path = pathOf[kind ?? '']
  const reference = after?.reference
  if (kind === 'payout' && typeof reference === 'string') return linkTo(place, 'payouts', reference)
  return path && done !== 'deleted' ? linkTo(place, path, subject, code(subject)) : copied(subject)
}

const fieldsOf = ({ before, after }: AuditEntry): string[] => Object.keys({ ...before, ...after })

const moneys: readonly string[] = ['ngn', 'usd']

/** What a field held, as people read it. What stands below a currency is an amount of it. */
function heldOf(show: Show, name: string, value: unknown, currency: string | null = null): Part {
  if (value === null || value === undefined || value === '') return en.none
  if (typeof value === 'boolean') return value ? en.yes : en.no
  if (typeof value === 'number')
    return currency === null || name.endsWith('_count')
      ? show.number(value)
      : show.money(value, currency)
  if (typeof value === 'string')
    return name.endsWith('_at') && !Number.isNaN(Date.parse(value))
      ? show.time(value)
      : html`<bdi>${value}</bdi>`
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
    return value.length === 0 ? en.none : html`<bdi>${value.join(', ')}</bdi>`
  const parts = Object.entries(value as object)
  if (parts.length === 0) return en.none
  const below = moneys.includes(name) ? name : currency
  return html`<ul>${parts.map(
    ([part, held]) => html`<li><bdi>${wordOf(part)}</bdi>: ${heldOf(show, part, held, below)}</li>`,
  )}</ul>`
}

/** An amount stands beside its currency. */
const currencyOf = (name: string, fields: Readonly<Record<string, unknown>>): string | null =>
  name === 'amount' && typeof fields.currency === 'string' ? fields.currency : null

function changesOf(doc: AuditEntry, show: Show): Html {
  const { before, after } = doc
  const sides = [
    ...(before ? [['Before', before] as const] : []),
    ...(after ? [['After', after] as const] : []),
  ]
  return html`<div class="scroll" tabindex="0"><table><thead><tr><th scope="col">Field</th>${sides.map(
    ([title]) => html`<th scope="col">${title}</th>`,
  )}</tr></thead><tbody>${fieldsOf(doc).map(
    (name) =>
      html`<tr><th scope="row">${wordOf(name)}</th>${sides.map(
        ([, fields]) =>
          html`<td>${heldOf(show, name, fields[name], currencyOf(name, fields))}</td>`,
      )}</tr>`,
  )}</tbody></table></div>`
}

export const auditLog: Resource<AuditEntry> = {
  path: 'audit-log',
  title: 'Audit log',
  one: 'entry',
  more: 'entries',
  group: 'settings',
  list: 'listAuditEntries',
  get: 'getAuditEntry',
  key: 'id',
  right: 'manage',
  exports: 'exportAuditEntries',
  untold: true,
  async choices({ ctx, api }) {
    const [members, { docs: keys }] = await Promise.all([
      listMembers(ctx),
      api.listKeys({ query: { limit: 100 } }),
    ])
    const people = members.map(({ person_id: id, email }) => [id, email] as const)
    return {
      actor: [...people, ...keys.map(({ id, hint, name }) => [id, `${hint} ${name}`] as const)],
    }
  },
  about:
    'Who moved money, canceled or deleted something, or changed keys, webhooks, limits or the profile in this mode. Changes to the team are in both modes.',
  columns: [
    { title: 'Action', cell: cells.word('action') },
    { title: 'When', cell: cells.created },
    { title: 'Who', cell: ({ actor }) => nameOf(actor) },
    { title: 'Fields', cell: (doc) => html`<span>${fieldsOf(doc).map(wordOf).join(', ')}</span>` },
    { title: 'From', cell: cells.text('address'), less: true },
  ],
  heading: ({ action }) => wordOf(action),
  called: ({ action }) => wordOf(action),
  rows: (doc, seen) => [
    ['Who', whoOf(seen, doc.actor)],
    ['From', doc.address && html`<bdi>${doc.address}</bdi>`],
    ['What was changed', subjectOf(seen, doc)],
    [
      'Also',
      doc.actor.id &&
        html`<a href="${seen.base}/audit-log?actor=${doc.actor.id}">Everything by this actor</a>`,
    ],
  ],
  sections: [{ title: 'Changes', content: (doc, { show }) => changesOf(doc, show) }],
  actions: [],
}
