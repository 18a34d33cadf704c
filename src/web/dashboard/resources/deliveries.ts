import type { AnswerOf } from '../../../core/operations.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html, type Part } from '../../../lib/html.ts'
import { copied, linkTo, relatedTo } from '../related.ts'
import { actionsOn, type Resource, type Seen } from '../resource.ts'
import { cells } from '../tables.ts'
import { badge, type Field, fact, facts } from '../view/parts.ts'
import { json, source } from '../view/source.ts'

type WebhookDelivery = AnswerOf<'getWebhookDelivery'>
type Attempt = WebhookDelivery['attempts'][number]
type Event = AnswerOf<'getEvent'>
const onWebhookDelivery = actionsOn<WebhookDelivery>()
const onEvent = actionsOn<Event>()

/** What a delivery was asked to carry. A sample is no event: it happened when it was made. */
async function requestOf(doc: WebhookDelivery, seen: Seen): Promise<Part> {
  const { event_id: id, type, payload } = doc
  const { timestamp, sample } = await timeOf(doc, seen)
  const headers = [
    `POST ${doc.url}`,
    'Content-Type: application/json',
    `X-Event-Id: ${id}`,
    `X-Event-Type: ${type}`,
    `X-Delivery-Attempt: 1 for the first attempt, and so on`,
    ...(sample ? ['X-Event-Sample: true'] : []),
    'X-Signature: sha256=… (HMAC-SHA256 of the body by the signing secret)',
    `webhook-id: ${id}`,
    'webhook-timestamp: … (of each attempt)',
    'webhook-signature: v1,…',
  ]
  return html`<p class="dim">Each attempt has these headers. The body has the same bytes, without the spaces shown here.</p>
${source(headers.join('\n'))}${json({ id, type, timestamp, payload })}`
}

async function timeOf({ event_id: id, created_at }: WebhookDelivery, { api }: Seen) {
  try {
    const { timestamp } = await api.getEvent({ params: { id } })
    return { timestamp, sample: false }
  } catch (error) {
    if (error instanceof Refusal && error.status === 404)
      return { timestamp: created_at, sample: true }
    throw error
  }
}

function attemptOf(
  { at, response_status: status, response_body: body, duration_ms: ms, error }: Attempt,
  { show }: Seen,
): Html {
  const good = status !== null && status >= 200 && status < 300 && error === null
  return html`<li>${facts([
    fact('Sent', html`<time datetime="${at}">${show.time(at)}</time>`),
    fact(
      'Answer',
      status === null
        ? badge('none', 'bad', 'No answer')
        : badge('status', good ? 'good' : 'bad', String(status)),
    ),
    fact('Took', `${show.number(ms)} ms`),
    error !== null && fact('Why it failed', html`<bdi>${error}</bdi>`),
  ])}${body && source(body)}</li>`
}

export const deliveries: Resource<WebhookDelivery> = {
  path: 'deliveries',
  title: 'Deliveries',
  one: 'delivery',
  more: 'deliveries',
  group: 'developers',
  list: 'listWebhookDeliveries',
  get: 'getWebhookDelivery',
  key: 'id',
  tabs: 'status',
  untold: true,
  about: 'A delivery sends one event to one of your endpoints. It shows every attempt.',
  columns: [
    { title: 'Event', cell: cells.text('type') },
    { title: 'Status', cell: cells.status },
    { title: 'Sent to', cell: cells.text('url') },
    { title: 'Created', cell: cells.created },
    {
      title: 'Attempts',
      cell: ({ attempts }, { show }) => show.number(attempts.length),
      less: true,
      right: true,
    },
  ],
  heading: ({ type }) => html`<bdi>${type}</bdi>`,
  called: ({ type }) => type,
  status: ({ status }) => status,
  rows: (doc, seen) => [
    ['Sent to', copied(doc.url)],
    ['Endpoint', linkTo(seen, 'webhooks', doc.webhook_id)],
    ['Event', linkTo(seen, 'events', doc.event_id)],
    ['Next try', doc.next_attempt_at && seen.show.time(doc.next_attempt_at)],
  ],
  sections: [
    {
      title: 'Attempts',
      content: ({ attempts }, seen) =>
        attempts.length > 0 &&
        html`<ol class="tries">${attempts.toReversed().map((attempt) => attemptOf(attempt, seen))}</ol>`,
    },
    { title: 'Request', content: requestOf },
  ],
  actions: [
    onWebhookDelivery({
      name: 'resend',
      title: 'Send again',
      operation: 'resendEvent',
      bulk: 'Send again',
      input: ({ doc }) => ({ body: { event_id: doc.event_id, webhook_id: doc.webhook_id } }),
      foresee: ({ doc }) => ({
        lines: [
          html`The same event is sent again now to <bdi>${doc.url}</bdi>.`,
          'It has the same id, so a receiver that remembers ids ignores it. No money moves.',
        ],
      }),
      done: 'Sending it again.',
    }),
  ],
}

/** Active endpoints, for a select. */
async function endpointField({ api }: Pick<Seen, 'api'>): Promise<Field> {
  const { docs } = await api.listWebhooks({ query: { limit: 100 } })
  return {
    name: 'webhook_id',
    label: 'Endpoint',
    kind: 'select',
    required: true,
    options: docs.filter(({ active }) => active).map(({ id, url }) => [id, url] as const),
    hint: 'It gets the event even if it does not subscribe to the type. Paused endpoints are not listed.',
  }
}

export const events: Resource<Event> = {
  path: 'events',
  title: 'Events',
  one: 'event',
  more: 'events',
  group: 'developers',
  list: 'listEvents',
  get: 'getEvent',
  key: 'id',
  about: 'An event records that something happened, even if no endpoint received it.',
  columns: [
    { title: 'Event', cell: cells.text('type') },
    { title: 'When', cell: cells.created },
    {
      title: 'Record',
      cell: ({ payload }) => html`<code>${String(payload.reference ?? payload.id)}</code>`,
    },
  ],
  heading: ({ type }) => html`<bdi>${type}</bdi>`,
  called: ({ type }) => type,
  rows: () => [],
  sections: [
    relatedTo('Deliveries', deliveries, {
      input: ({ id }) => ({ query: { event_id: id } }),
      all: ({ id }) => `/deliveries?event_id=${id}`,
    }),
    {
      title: 'Payload',
      content: ({ id, type, timestamp, payload }) => json({ id, type, timestamp, payload }),
    },
  ],
  actions: [
    onEvent({
      name: 'send',
      title: 'Send to an endpoint',
      confirm: 'Send',
      operation: 'resendEvent',
      fields: async (visit) => [await endpointField(visit)],
      input: ({ doc, body }) => ({ body: { event_id: doc.id, webhook_id: body.webhook_id } }),
      leadsTo: ({ id }) => `/deliveries/${id}`,
      done: 'Sending it now.',
    }),
  ],
}
