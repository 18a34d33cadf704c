import type { AnswerOf } from '../../../core/operations.ts'
import { html, type Part } from '../../../lib/html.ts'
import type { Place } from '../place.ts'
import type { Resource } from '../resource.ts'
import { auditLog as ofBusinesses } from '../resources/audit-log.ts'
import { cells } from '../tables.ts'
import { code } from '../view/parts.ts'

type AuditEntry = AnswerOf<'getOperatorAuditEntry'>

/** Where what was changed has its page, by the action. */
const pathOf: Readonly<Record<string, string>> = {
  business: 'businesses',
  operator_key: 'keys',
  plan: 'plans',
  incident: 'incidents',
  document: 'documents',
  ledger_verification: 'ledger-verifications',
  review: 'reviews',
}

function subjectOf({ base }: Place, { action, subject }: AuditEntry): Part {
  const path = pathOf[action.split('.')[0] ?? '']
  return path === undefined
    ? code(subject)
    : html`<a href="${base}/${path}/${subject}">${code(subject)}</a>`
}

const nameOf = ({ hint, id }: AuditEntry['actor']): Part =>
  html`<bdi>${hint ?? id ?? 'A command'}</bdi>`

const { exports: _none, right: _nobodyElse, ...ofAll } = ofBusinesses

/** What the operator did: to businesses, plans, keys and the installation. */
export const auditLog: Resource<AuditEntry> = {
  ...ofAll,
  list: 'listOperatorAuditEntries',
  get: 'getOperatorAuditEntry',
  async choices({ api }) {
    const { docs } = await api.listOperatorKeys({ query: { limit: 100 } })
    return { actor: docs.map(({ id, hint, name }) => [id, `${hint} ${name}`] as const) }
  },
  about:
    'Who made, stopped, priced or limited which business, made plans and keys, closed incidents, decided about papers and verified the ledger.',
  columns: [
    { title: 'Action', cell: cells.word('action') },
    { title: 'When', cell: cells.created },
    { title: 'Who', cell: ({ actor }) => nameOf(actor) },
    { title: 'What', cell: (doc, seen) => subjectOf(seen, doc) },
    { title: 'From', cell: cells.text('address'), less: true },
  ],
  rows: (doc, seen) => [
    ['Who', nameOf(doc.actor)],
    ['From', doc.address && html`<bdi>${doc.address}</bdi>`],
    ['What was changed', subjectOf(seen, doc)],
    [
      'Also',
      doc.actor.id &&
        html`<a href="${seen.base}/audit-log?actor=${doc.actor.id}">Everything by this actor</a>`,
    ],
  ],
}
