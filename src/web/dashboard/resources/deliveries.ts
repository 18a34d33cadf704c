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
    `X-Delivery-Attempt: 1 for the first try, and so on`,
    ...(sample ? ['X-Event-Sample: true'] : []),
    'X-Signature: sha256=… (HMAC-SHA256 of the body by the signing secret)',
    `webhook-id: ${id}`,
    'webhook-timestamp: … (of each try)',
    'webhook-signature: v1,…',
  ]
  return html`<p class="dim">Each try has these headers. The body is the same to the byte, without the spaces that are shown here.</p>
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
  about: 'A delivery is an event on its way to one of your endpoints, with every try.',
  columns: [
    { title: 'Event', cell: cells.text('type') },
    { title: 'Status', cell: cells.status },
    { title: 'Sent to', cell: cells.text('url') },
    { title: 'Created', cell: cells.created },
    {
      title: 'Tries',
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
      title: 'Tries',
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
          html`The same event is sent again, at once, to the endpoint of <bdi>${doc.url}</bdi>.`,
          'A receiver that remembers ids knows it: the id is the same. No money moves.',
        ],
      }),
      done: 'It is on its way again.',
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
    hint: 'Whatever it subscribes to. Endpoints that are paused are not here.',
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
  about: 'An event says that something happened, whether it was sent anywhere or not.',
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
      title: 'What was, or would have been, sent',
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
      done: 'It is on its way.',
    }),
  ],
}
