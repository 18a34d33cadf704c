/**
 * Events as they come: the newest ones, and with a script each new one above them, as it commits.
 */
import type { AnswerOf } from '../../core/operations.ts'
import { Refusal } from '../../lib/errors.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import type { BusinessPage, Visit } from './place.ts'
import { page } from './view/layout.ts'
import { badge, field, notice } from './view/parts.ts'
import { json } from './view/source.ts'
import { en, wordOf } from './view/strings.ts'

const words = {
  title: 'Live events',
  about: 'Every event, newest first, whether an endpoint receives it or not.',
  refresh: 'Refresh',
  type: 'Event',
  show: 'Show',
  states: {
    on: 'New events appear by themselves.',
    wait: 'The connection was lost. Reconnecting.',
    off: 'No longer live. Refresh the page.',
  },
  full: 'Too many pages of yours follow events. Close one, or refresh this page to see what is new.',
  empty: 'No events yet',
  emptyFiltered: 'No events of this type yet',
  begin: 'A payment that completes, a payout that fails, an invoice that is sent: each is one.',
  deliveries: 'Deliveries',
  unsent: 'Not sent to an endpoint yet.',
  open: 'Open the event',
}

const shownEvents = 15
const shownDeliveries = 100

/**
 * Where the stream stands now: what comes after it is not on the page yet. Null where no more
 * streams may be open.
 */
async function placeNow({ follow }: Visit): Promise<string | null> {
  try {
    for await (const text of await follow('streamEvents'))
      return /^id: (.*)$/m.exec(text)?.[1] ?? null
    return null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'too_many_streams') return null
    throw error
  }
}

const livePage: BusinessPage = {
  method: 'GET',
  path: '/live-events',
  async handler(visit) {
    const { api, base, request, operations } = visit
    const { query } = operations.route('listEvents').schema as unknown as {
      query: { properties: { type: { enum: string[] } } }
    }
    const types = query.properties.type.enum
    const type = types.find((one) => one === request.query.type) ?? ''
    const asked = type === '' ? {} : { type }
    const place = await placeNow(visit)
    const [{ docs: events }, { docs: deliveries }] = await Promise.all([
      api.listEvents({ query: { ...asked, limit: shownEvents } }),
      api.listWebhookDeliveries({ query: { ...asked, limit: shownDeliveries } }),
    ])
    const stream =
      place &&
      `${base}/live-events/stream?${new URLSearchParams({ ...asked, after: place }).toString()}`
    const items = events.map((event) =>
      itemOf(
        visit,
        event,
        deliveries.filter(({ event_id: id }) => id === event.id),
      ),
    )
    const options = [['', en.any] as const, ...types.map((one) => [one, one] as const)]
    const here = `${base}/live-events`
    const main = html`<div class="head"><div><h1>${words.title}</h1><p class="dim">${words.about}</p></div>
<div class="buttons"><a class="button second" href="${here}${type !== '' && html`?type=${type}`}">${words.refresh}</a></div></div>
<form class="filters" method="get" action="${here}"><div class="grid">${field({ name: 'type', label: words.type, kind: 'select', options }, type, null, true)}
<div class="buttons"><button class="second">${words.show}</button></div></div></form>
${place === null && notice('warn', words.full)}
<p class="dim" role="status" id="live-state"></p>
<ol class="tries" id="live"${stream && liveState(stream)}>${items}</ol>
${items.length === 0 && html`<div class="sheet" id="live-empty"><h2>${type === '' ? words.empty : words.emptyFiltered}</h2><p>${words.begin}</p></div>`}`
    return { html: page(visit, { title: words.title, main }) }
  },
}

const liveState = (stream: string): Html =>
  html` data-live="${stream}" data-on="${words.states.on}" data-wait="${words.states.wait}" data-off="${words.states.off}"`

type Event = Omit<AnswerOf<'getEvent'>, 'livemode' | 'metadata' | 'created_at' | 'updated_at'>
type Delivery = AnswerOf<'getWebhookDelivery'>

/** An event. Without `deliveries`, it has just come: they are not known yet. */
function itemOf({ base, show }: Visit, event: Event, deliveries: Delivery[] | null): Html {
  const { id, type, timestamp, payload } = event
  return html`<li id="e-${id}"><details><summary><bdi>${type}</bdi> <code>${String(payload.reference ?? payload.id)}</code>
<time class="dim" datetime="${timestamp}">${show.time(timestamp)}</time></summary>
${json({ id, type, timestamp, payload })}${deliveries && deliveriesOf(base, deliveries)}
<p><a href="${base}/events/${id}">${words.open}</a> · <a href="${base}/deliveries?event_id=${id}">${words.deliveries}</a></p></details></li>`
}

function deliveriesOf(base: string, deliveries: Delivery[]): Part {
  if (deliveries.length === 0) return html`<p class="dim">${words.unsent}</p>`
  return html`<ul>${deliveries.map(
    ({ id, url, status }) =>
      html`<li><a href="${base}/deliveries/${id}"><bdi>${url}</bdi></a> ${badge(status, undefined, wordOf(status))}</li>`,
  )}</ul>`
}

const livePath: BusinessPage = {
  method: 'GET',
  path: '/live-events/stream',
  async handler(visit) {
    const { type = '', after } = visit.request.query
    const events = await visit.follow('streamEvents', { query: after ? { after } : {} })
    return { events: shownAs(visit, type, events) }
  },
}

/**
 * The stream of the API with a piece of the page in place of each event; other types leave only
 * their place.
 */
async function* shownAs(
  visit: Visit,
  type: string,
  events: AsyncIterable<string>,
): AsyncGenerator<string> {
  for await (const text of events)
    yield text
      .split('\n')
      .filter((line) => type === '' || !line.startsWith('data: ') || typeOf(line) === type)
      .map((line) => (line.startsWith('data: ') ? dataOf(itemOf(visit, bodyOf(line), null)) : line))
      .join('\n')
}

const bodyOf = (line: string): Event => JSON.parse(line.slice('data: '.length))
const typeOf = (line: string): string => bodyOf(line).type
const dataOf = (item: Html): string =>
  String(item)
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')

export const liveEventPages: BusinessPage[] = [livePage, livePath]
