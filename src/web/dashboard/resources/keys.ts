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
  read: 'read – look at everything but who acts',
  collect: 'collect – take payments, customers, invoices',
  payout: 'payout – send money out',
  refund: 'refund – give money back to where it came from',
  refund_elsewhere: 'refund_elsewhere – give money back to any other account',
  manage: 'manage – webhooks and settings, the audit log',
  approve: 'approve – approve payouts; never together with payout or refund_elsewhere',
}

const allScopes = Object.keys(meanings) as Scope[]

/** Nobody gives a key what he may not do. */
const mine = ({ can }: Visit): Scope[] => allScopes.filter(can)

const scopeFields = (visit: Visit, more: readonly string[] = []): Field[] =>
  allScopes
    .filter((scope) => mine(visit).includes(scope) || more.includes(scope))
    .map((scope) => ({ name: `scopes.${scope}`, label: `May ${meanings[scope]}`, kind: 'check' }))

function scopesOf({ values }: { values: Values }): Scope[] {
  const scopes = allScopes.filter((scope) => values[`scopes.${scope}`] === 'true')
  return scopes.length > 0
    ? scopes
    : refuseInput([{ path: 'scopes.read', message: 'Tick at least one.', location: 'body' }])
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
      label: 'The old key works on for',
      kind: 'select',
      required: true,
      options: [
        ['24', '24 hours'],
        ['1', 'an hour'],
        ['168', '7 days'],
        ['0', 'no time: it stops at once'],
      ],
    },
  ],
  input: ({ doc, body }) => ({
    params: { id: doc.id },
    body: { overlap_hours: Number(body.overlap) },
  }),
  foresee: ({ doc, body }) => ({
    lines: [
      html`You are shown a new key, once, which may do what this one may: ${doc.scopes.join(', ')}.`,
      body.overlap === '0'
        ? 'The old key stops working at once.'
        : `The old key works on for ${body.overlap} hours, and then no more.`,
    ],
  }),
  reveals,
  done: 'The new key is there.',
}

const changeScopes: Action<'changeKeyScopes', Key, object> = {
  name: 'scopes',
  title: 'Change what it may do',
  confirm: 'Save',
  operation: 'changeKeyScopes',
  when: inForce,
  fields: (visit, doc) => scopeFields(visit, doc.scopes),
  start: ({ scopes }) => ticked(scopes),
  input: (draft) => ({ params: { id: draft.doc.id }, body: { scopes: scopesOf(draft) } }),
  done: 'The key may now do this. Every server knows within a second.',
}

const create: Action<'createKey', NoRecord, { name: string; days?: string }> = {
  name: 'new',
  title: 'New key',
  confirm: 'Make the key',
  operation: 'createKey',
  fields: (visit) => [
    { name: 'name', label: 'What it is for', kind: 'text', required: true, maxLength: 100 },
    ...scopeFields(visit),
    {
      name: 'allow_ips',
      label: 'May be used from',
      kind: 'area',
      maxLength: 5_000,
      hint: 'IP addresses or ranges such as 203.0.113.0/24, one a line. Left empty: from anywhere.',
    },
    {
      name: 'days',
      label: 'Works for',
      kind: 'select',
      options: [
        ['', 'as long as it is not revoked'],
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
  done: 'The key is there.',
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
  needs: 'manage',
  untold: true,
  about: 'A key lets a program of yours use the API, in this mode, for what its scopes say.',
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
          'It stops working within a second, for good. What uses it is refused from then on.',
          doc.last_used_at
            ? `It was used last ${show.time(doc.last_used_at)}, from ${doc.last_used_from}.`
            : 'It was never used.',
        ],
      }),
      done: 'The key is revoked.',
    }),
  ],
  create,
}
