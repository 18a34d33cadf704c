import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { refuseInput } from '../../../lib/errors.ts'
import { html, type Part } from '../../../lib/html.ts'
import { findLossyNumbers } from '../../../lib/json.ts'
import type { Visit } from '../place.ts'
import { copied, relatedTo } from '../related.ts'
import {
  type Action,
  actionsOn,
  type Draft,
  type NoRecord,
  type Resource,
  type Values,
} from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field } from '../view/parts.ts'
import { wordOf } from '../view/strings.ts'
import { deliveriesChart } from './charts.ts'
import { readDay } from './choosing.ts'
import { deliveries } from './deliveries.ts'

type Webhook = AnswerOf<'getWebhook'>
type Filter = Webhook['metadata_filter']
type WebhookForm = Pick<BodyOf<'createWebhook'>, 'url' | 'description'> & {
  events?: Record<string, boolean>
  metadata_filter?: string
}
const action = actionsOn<Webhook>()

const statusOf = ({ active }: Webhook): string => (active ? 'active' : 'inactive')

type SampleSchema = { body: { properties: { type: { enum: string[] } } } }

/** The types of the catalogue, as an endpoint can be sent a sample of each. */
function typesOf({ operations }: Visit): string[] {
  const { body } = operations.route('testWebhook').schema as unknown as SampleSchema
  return body.properties.type.enum
}

const everything = 'events.all'

/** What events of a type are about: `virtual_account.deposit` of virtual accounts. */
const kindOf = (type: string): string => `${wordOf(type.split('.')[0] ?? type)} events`

const fieldsOf = (visit: Visit): Field[] => [
  {
    name: 'url',
    label: 'Address',
    kind: 'text',
    required: true,
    maxLength: 2_000,
    hint: 'Where events are sent. It begins with https://.',
  },
  { name: 'description', label: 'Note', kind: 'text', maxLength: 500, clears: true },
  { name: everything, label: 'All events, including future types', kind: 'check' },
  ...typesOf(visit).map(
    (type): Field => ({
      name: `events.${type}`,
      label: type,
      kind: 'check',
      group: kindOf(type),
      fold: 'Choose events, if not all',
    }),
  ),
  {
    name: 'metadata_filter',
    label: 'Only records with this metadata',
    kind: 'area',
    maxLength: 4_000,
    hint: 'One per line, for example shop=ikeja. Empty: all records.',
  },
]

/** What is ticked; whoever ticks everything has no need of the others. */
function readEvents(visit: Visit, values: Values): string[] {
  if (values[everything] === 'true') return ['*']
  const events = typesOf(visit).filter((type) => values[`events.${type}`] === 'true')
  return events.length > 0
    ? events
    : refuseInput([{ path: everything, message: 'Select at least one event.', location: 'body' }])
}

/**
 * A text that would be read as something else is written as JSON. A number that loses digits is a
 * text.
 */
const filterText = (filter: Filter): string =>
  Object.entries(filter)
    .map(
      ([name, value]) =>
        `${name}=${readValue(String(value)) === value ? value : JSON.stringify(value)}`,
    )
    .join('\n')

function readValue(text: string): string | number | boolean {
  try {
    const value = JSON.parse(text)
    if (findLossyNumbers(`[${text}]`).length > 0) return text
    return ['string', 'number', 'boolean'].includes(typeof value) ? value : text
  } catch {
    return text
  }
}

function readFilter(text = ''): Filter {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=')
      if (at < 1)
        refuseInput([
          { path: 'metadata_filter', message: 'Write name=value on each line.', location: 'body' },
        ])
      return [line.slice(0, at).trim(), readValue(line.slice(at + 1).trim())]
    }),
  )
}

const bodyOf = ({ body, values }: Draft<unknown, WebhookForm>, visit: Visit) => {
  const { events: _ticked, metadata_filter: filter, ...others } = body
  return { ...others, events: readEvents(visit, values), metadata_filter: readFilter(filter) }
}

const startOf = ({ url, description, events, metadata_filter: filter }: Webhook): Values => ({
  url,
  description: description ?? '',
  ...Object.fromEntries(
    events.map((type) => [type === '*' ? everything : `events.${type}`, 'true']),
  ),
  metadata_filter: filterText(filter),
})

type Secrets = Pick<AnswerOf<'createWebhook'>, 'secret' | 'standard_secret'>

const secrets = ({ secret, standard_secret: standard }: Secrets) =>
  [
    ['Signing secret', secret],
    ['Secret for Standard Webhooks libraries', standard],
  ] as const

const eventsOf = ({ events }: Webhook): Part =>
  events.includes('*') ? 'Every event' : html`<bdi>${events.join(', ')}</bdi>`

const about = { forbidden_target: 'url' }

const edit: Action<'updateWebhook', Webhook, WebhookForm> = {
  name: 'edit',
  title: 'Change',
  confirm: 'Save',
  operation: 'updateWebhook',
  fields: fieldsOf,
  start: startOf,
  input: (draft, visit) => ({ params: { id: draft.doc.id }, body: bodyOf(draft, visit) }),
  about,
  done: 'Endpoint updated.',
}

const recover: Action<'recoverWebhook', Webhook, { since: string }> = {
  name: 'recover',
  title: 'Resend failed events',
  confirm: 'Send again',
  operation: 'recoverWebhook',
  when: ({ active }) => active,
  fields: () => [
    {
      name: 'since',
      label: 'Failed since',
      kind: 'date',
      required: true,
      hint: 'Deliveries to this endpoint that failed on this day or later are tried again from the start.',
    },
  ],
  input: ({ doc, body }, { show }) => ({
    params: { id: doc.id },
    body: { since: readDay('since', body.since, show.timeZone) },
  }),
  leadsTo: (_answer, { id }) => `/webhooks/${id}`,
  done: 'Sending the failed events again.',
}

const create: Action<'createWebhook', NoRecord, WebhookForm> = {
  name: 'new',
  title: 'New endpoint',
  confirm: 'Create',
  operation: 'createWebhook',
  fields: fieldsOf,
  start: () => ({ [everything]: 'true' }),
  input: (draft, visit) => ({ body: bodyOf(draft, visit) }),
  reveals: secrets,
  about,
  done: 'Endpoint created.',
}

export const webhooks: Resource<Webhook> = {
  path: 'webhooks',
  title: 'Webhooks',
  one: 'endpoint',
  more: 'endpoints',
  group: 'developers',
  list: 'listWebhooks',
  get: 'getWebhook',
  key: 'id',
  untold: true,
  above: deliveriesChart,
  about: 'An endpoint is a URL of yours that receives events as they happen.',
  columns: [
    { title: 'Address', cell: cells.text('url') },
    { title: 'Status', cell: (doc) => badge(statusOf(doc)) },
    { title: 'Note', cell: cells.text('description') },
    { title: 'Created', cell: cells.created },
    { title: 'Events', cell: eventsOf, less: true },
  ],
  heading: ({ url }) => html`<bdi>${url}</bdi>`,
  called: ({ url }) => url,
  status: statusOf,
  rows: (doc) => [
    ['Address', copied(doc.url)],
    ['Note', doc.description && html`<bdi>${doc.description}</bdi>`],
    ['Events', eventsOf(doc)],
    [
      'Only records with this metadata',
      Object.keys(doc.metadata_filter).length > 0 &&
        html`<bdi>${filterText(doc.metadata_filter)}</bdi>`,
    ],
    ['Signing secret', 'Shown once, when it was created. Roll it to get a new one.'],
  ],
  sections: [
    relatedTo('Newest deliveries', deliveries, {
      input: ({ id }) => ({ query: { webhook_id: id } }),
      all: ({ id }) => `/deliveries?webhook_id=${id}`,
    }),
  ],
  actions: [
    action({
      name: 'test',
      title: 'Send a test event',
      confirm: 'Send',
      operation: 'testWebhook',
      when: ({ active }) => active,
      fields: (visit) => [
        {
          name: 'type',
          label: 'Event',
          kind: 'select',
          required: true,
          options: typesOf(visit).map((type) => [type, type] as const),
          hint: 'Your newest event of this type, or a made-up one, marked as a test. No other endpoint gets it.',
        },
      ],
      leadsTo: ({ id }) => `/deliveries/${id}`,
      done: 'Test event sent.',
    }),
    edit,
    action({
      name: 'pause',
      title: 'Pause',
      operation: 'updateWebhook',
      when: ({ active }) => active,
      input: ({ doc }) => ({ params: { id: doc.id }, body: { active: false } }),
      foresee: () => ({
        lines: [
          'It receives nothing until you resume it.',
          'Events in the meantime are not queued for it. You can send single events to it later.',
        ],
      }),
      done: 'Endpoint paused.',
      undo: 'resume',
    }),
    action({
      name: 'resume',
      title: 'Resume',
      operation: 'updateWebhook',
      when: ({ active }) => !active,
      input: ({ doc }) => ({ params: { id: doc.id }, body: { active: true } }),
      foresee: () => ({ lines: ['It receives events from now on.'] }),
      done: 'Endpoint resumed.',
      undo: 'pause',
    }),
    recover,
    action({
      name: 'roll',
      title: 'Roll secret',
      operation: 'rollWebhookSecret',
      foresee: () => ({
        lines: [
          'You see a new signing secret once.',
          'For 24 hours, each delivery is signed with both secrets, so you can switch without failures.',
        ],
      }),
      reveals: secrets,
      done: 'Secret rolled.',
    }),
    action({
      name: 'delete',
      title: 'Delete',
      operation: 'deleteWebhook',
      danger: true,
      foresee: () => ({
        lines: [
          'Nothing more is sent to it. Deliveries in progress fail.',
          'Past deliveries stay in the list.',
        ],
      }),
      leadsTo: () => '/webhooks',
      done: 'Endpoint deleted.',
    }),
  ],
  create,
}
