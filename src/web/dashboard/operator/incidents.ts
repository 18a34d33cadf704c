import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import { actionsOn, type Resource } from '../resource.ts'
import type { Show } from '../show.ts'
import { cells } from '../tables.ts'
import { code } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'

type Incident = AnswerOf<'getIncident'>
const action = actionsOn<Incident>()

function textOf(
  name: string,
  value: unknown,
  { currency }: Incident['detail'],
  { money }: Show,
): string {
  if (name === 'currency') return wordOf(String(value))
  if (typeof currency === 'string' && typeof value === 'number' && /amount|fee/.test(name))
    return money(value, currency)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What of its detail is something, as the facts of its page. */
const known = (detail: Incident['detail']): (readonly [string, unknown])[] =>
  Object.entries(detail).filter(([, value]) => value !== null)

export const incidents: Resource<Incident> = {
  path: 'incidents',
  title: 'Incidents',
  one: 'incident',
  more: 'incidents',
  group: 'developers',
  list: 'listIncidents',
  get: 'getIncident',
  key: 'id',
  tabs: 'status',
  untold: true,
  about:
    'Problems with accounts at providers that a person must look at. Only a person closes one, and closing it moves no money.',
  columns: [
    { title: 'Incident', cell: cells.word('kind') },
    { title: 'Status', cell: cells.status },
    { title: 'Rail', cell: ({ rail, mode }) => html`<bdi>${wordOf(rail)} · ${wordOf(mode)}</bdi>` },
    { title: 'Found', cell: cells.created },
    { title: 'About', cell: cells.text('subject'), less: true },
  ],
  heading: ({ kind }) => wordOf(kind),
  called: ({ kind }) => wordOf(kind),
  status: ({ status }) => status,
  rows: (doc, { show, base }) => [
    ['What to do', doc.status === 'open' && html`${doc.todo}`],
    ['Rail', html`<bdi>${wordOf(doc.rail)}</bdi> · ${wordOf(doc.mode)}`],
    ['About', doc.subject && html`<bdi>${doc.subject}</bdi>`],
    [
      'Business',
      doc.business && html`<a href="${base}/businesses/${doc.business}">${code(doc.business)}</a>`,
    ],
    ...known(doc.detail).map(
      ([name, value]) =>
        [wordOf(name), html`<bdi>${textOf(name, value, doc.detail, show)}</bdi>`] as const,
    ),
    [
      'Found',
      doc.times > 1 && `${show.number(doc.times)} times, the last time ${show.time(doc.seen_at)}`,
    ],
    ['Closed', doc.closed_at && html`${show.time(doc.closed_at)}, by <bdi>${doc.closed_by}</bdi>`],
    ['Note', doc.note && html`<bdi>${doc.note}</bdi>`],
  ],
  actions: [
    action({
      name: 'close',
      title: 'Close',
      operation: 'closeIncident',
      when: ({ status }) => status === 'open',
      fields: () => [
        {
          name: 'note',
          label: 'What was found or done',
          kind: 'area',
          maxLength: 500,
          hint: 'It is kept with the incident.',
        },
      ],
      foresee: () => ({
        lines: [
          'Reminders of it stop. It moves no money and fixes nothing.',
          'Found again after that, another incident is opened.',
        ],
      }),
      done: 'Incident closed.',
    }),
  ],
}
