import type { AnswerOf } from '../../../core/operations.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { html } from '../../../lib/html.ts'
import type { Visit } from '../place.ts'
import { type Action, actionsOn, type NoRecord, type Resource, type Values } from '../resource.ts'
import { cells } from '../tables.ts'
import { code, type Field } from '../view/parts.ts'

type Key = AnswerOf<'getKey'>
type Scope = Key['scopes'][number]
const action = actionsOn<Key>()

const meanings: Readonly<Record<Scope, string>> = {
  read: 'read – see everything except who acted',
  collect: 'collect – take payments, customers, invoices',
  payout: 'payout – send money out',
  refund: 'refund – return money to where it came from',
  refund_elsewhere: 'refund_elsewhere – return money to another account',
  manage: 'manage – webhooks and settings, the audit log',
  approve: 'approve – approve payouts; never together with payout or refund_elsewhere',
}

const allScopes = Object.keys(meanings) as Scope[]

/** Nobody gives a key what he may not do. */
const mine = ({ can }: Visit): Scope[] => allScopes.filter(can)

const scopeFields = (visit: Visit, more: readonly string[] = []): Field[] =>
  allScopes
    .filter((scope) => mine(visit).includes(scope) || more.includes(scope))
    .map((scope) => ({
      name: `scopes.${scope}`,
      label: meanings[scope],
      kind: 'check',
      group: 'What it may do',
    }))

function scopesOf({ values }: { values: Values }): Scope[] {
  const scopes = allScopes.filter((scope) => values[`scopes.${scope}`] === 'true')
  return scopes.length > 0
    ? scopes
    : refuseInput([{ path: 'scopes.read', message: 'Select at least one.', location: 'body' }])
}

const ticked = (scopes: readonly string[]): Values =>
  Object.fromEntries(scopes.map((scope) => [`scopes.${scope}`, 'true']))

const inForce = ({ status }: Key): boolean => status === 'active' || status === 'ending'

const reveals = ({ key }: { key: string | null }) => [['Key', key]] as const

const roll: Action<'rollKey', Key, { overlap: string }> = {
  name: 'roll',
  title: 'Roll',
  operation: 'rollKey',
  // Who rolls a key is shown one that may do the same.
  when: inForce,
  fields: () => [
    {
      name: 'overlap',
      label: 'Keep the old key for',
      kind: 'select',
      required: true,
      options: [
        ['24', '24 hours'],
        ['1', 'an hour'],
        ['168', '7 days'],
        ['0', 'no time: it stops now'],
      ],
    },
  ],
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { overlap_hours: Number(body.overlap) },
  }),
  foresee: ({ doc, body }) => ({
    lines: [
      html`You see a new key once. It has the same scopes: ${doc.scopes.join(', ')}.`,
      body.overlap === '0'
        ? 'The old key stops working now.'
        : `The old key works for another ${body.overlap} hours.`,
    ],
  }),
  reveals,
  done: 'Key rolled.',
}

const changeScopes: Action<'changeKeyScopes', Key, object> = {
  name: 'scopes',
  title: 'Change scopes',
  confirm: 'Save',
  operation: 'changeKeyScopes',
  when: inForce,
  fields: (visit, doc) => scopeFields(visit, doc.scopes),
  start: ({ scopes }) => ticked(scopes),
  input: (draft) => ({ params: { id: draft.doc.id }, body: { scopes: scopesOf(draft) } }),
  done: 'Scopes updated. They apply everywhere within a second.',
}

const create: Action<'createKey', NoRecord, { name: string; days?: string }> = {
  name: 'new',
  title: 'New key',
  confirm: 'Create key',
  operation: 'createKey',
  fields: (visit) => [
    { name: 'name', label: 'What it is for', kind: 'text', required: true, maxLength: 100 },
    ...scopeFields(visit),
    {
      name: 'allow_ips',
      label: 'Allowed addresses',
      kind: 'area',
      maxLength: 5_000,
      hint: 'IP addresses or ranges such as 203.0.113.0/24, one per line. Empty: any address.',
    },
    {
      name: 'days',
      label: 'Works for',
      kind: 'select',
      options: [
        ['', 'no expiry'],
        ['30', '30 days'],
        ['90', '90 days'],
        ['365', 'a year'],
      ],
    },
  ],
  start: () => ({ days: '90' }),
  input: (draft) => ({
    body: {
      name: draft.body.name,
      scopes: scopesOf(draft),
      allow_ips: (draft.values.allow_ips ?? '').split(/[\s,]+/).filter(Boolean),
      ...(draft.body.days === undefined ? {} : { days: Number(draft.body.days) }),
    },
  }),
  reveals,
  done: 'Key created.',
}

export const keys: Resource<Key> = {
  path: 'keys',
  title: 'API keys',
  one: 'key',
  more: 'keys',
  group: 'developers',
  list: 'listKeys',
  get: 'getKey',
  key: 'id',
  right: 'manage',
  untold: true,
  about: 'An API key gives a program access to this mode, within its scopes.',
  columns: [
    { title: 'Key', cell: ({ hint }) => code(hint) },
    { title: 'Status', cell: cells.status },
    { title: 'Name', cell: cells.text('name') },
    {
      title: 'Last used',
      cell: ({ last_used_at: at }, { show }) =>
        at === null ? 'Never' : html`<time datetime="${at}">${show.time(at)}</time>`,
    },
    { title: 'May', cell: ({ scopes }) => html`<span>${scopes.join(', ')}</span>`, less: true },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: ({ status }) => status,
  rows: (doc, { show }) => [
    ['Key', code(doc.hint)],
    ['May', doc.scopes.join(', ')],
    ['From', doc.allow_ips.length > 0 ? doc.allow_ips.join(', ') : 'Anywhere'],
    ['Works until', doc.expires_at ? show.time(doc.expires_at) : 'It is revoked'],
    ['Revoked', doc.revoked_at && show.time(doc.revoked_at)],
    [
      'Last used',
      doc.last_used_at ? `${show.time(doc.last_used_at)}, from ${doc.last_used_from}` : 'Never',
    ],
  ],
  actions: [
    roll,
    changeScopes,
    action({
      name: 'revoke',
      title: 'Revoke',
      operation: 'revokeKey',
      danger: true,
      when: inForce,
      foresee: ({ doc }, { show }) => ({
        lines: [
          'It stops working within a second. Requests with it are refused. You cannot undo this.',
          doc.last_used_at
            ? `It was last used ${show.time(doc.last_used_at)}, from ${doc.last_used_from}.`
            : 'It was never used.',
        ],
      }),
      done: 'Key revoked.',
    }),
  ],
  create,
}
