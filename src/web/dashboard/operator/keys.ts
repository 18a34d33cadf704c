import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { actionsOn, creation, type Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, code } from '../view/parts.ts'

type Key = AnswerOf<'getOperatorKey'>
const action = actionsOn<Key>()

const statusOf = ({ revoked_at }: Key): string => (revoked_at === null ? 'active' : 'revoked')

export const operatorKeys: Resource<Key> = {
  path: 'keys',
  title: 'Operator keys',
  one: 'key',
  more: 'keys',
  group: 'developers',
  list: 'listOperatorKeys',
  get: 'getOperatorKey',
  key: 'id',
  untold: true,
  about:
    'A key of the operator makes, stops and prices businesses by the API, below /operator. It moves no money.',
  columns: [
    { title: 'Key', cell: ({ hint }) => code(hint) },
    { title: 'Status', cell: (doc) => badge(statusOf(doc)) },
    { title: 'Name', cell: cells.text('name') },
    {
      title: 'Last used',
      cell: ({ last_used_at: at }, { show }) =>
        at === null ? 'Never' : html`<time datetime="${at}">${show.time(at)}</time>`,
    },
  ],
  heading: ({ name }) => html`<bdi>${name}</bdi>`,
  called: ({ name }) => name,
  status: statusOf,
  rows: (doc, { show }) => [
    ['Key', code(doc.hint)],
    ['Reviews', doc.reviews && 'It may decide what waits for a person'],
    ['Made by', html`<bdi>${doc.made_by ?? 'A command'}</bdi>`],
    ['Revoked', doc.revoked_at && show.time(doc.revoked_at)],
    [
      'Last used',
      doc.last_used_at ? `${show.time(doc.last_used_at)}, from ${doc.last_used_from}` : 'Never',
    ],
  ],
  actions: [
    action({
      name: 'revoke',
      title: 'Revoke',
      operation: 'revokeOperatorKey',
      danger: true,
      when: ({ revoked_at }) => revoked_at === null,
      foresee: () => ({
        lines: ['It stops working at once, for good. What uses it is refused from then on.'],
      }),
      done: 'Key revoked.',
    }),
  ],
  create: creation({
    name: 'new',
    title: 'New key',
    confirm: 'Create key',
    operation: 'createOperatorKey',
    fields: () => [
      { name: 'name', label: 'What it is for', kind: 'text', required: true, maxLength: 100 },
      {
        name: 'reviews',
        label: 'It may also decide what waits for a person, such as papers',
        kind: 'check',
      },
    ],
    reveals: ({ key }) => [['Key', key as string | null]],
    done: 'Key created.',
  }),
}
