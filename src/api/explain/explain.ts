/**
 * Builds the timeline of a record and its parts from their modules, the ledger, events, the audit
 * log, requests and timers. Every statement uses an index and has a row limit.
 */
import { changesOf } from '../../books/audit/audit.ts'
import { mayDo } from '../../books/businesses/businesses.ts'
import { postingsOf } from '../../books/ledger/ledger.ts'
import { receiptsOfTransactions } from '../../books/receipts/receipts.ts'
import type { View } from '../../core/inside.ts'
import type { Part, Sought, Timeline, TimelineSource } from '../../core/timeline.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, isId } from '../../lib/ids.ts'
import { withNumbers } from '../../lib/json.ts'
import type { Static } from '../../lib/schema.ts'
import { waitingFor } from '../../platform/jobs/timers.ts'
import { requestsOf } from '../../platform/requests/requests.ts'
import { type EventEntry, eventsAbout } from '../../platform/webhooks/webhooks.ts'
import type { TimelineRecord } from './schema.ts'

type Answer = Static<typeof TimelineRecord>
type Entry = Answer['entries'][number]

/** The most entries in an answer. */
const mostEntries = 500
/** The most parts of one kind of a record, the newest, and the most records of a timeline. */
const mostParts = 20
const mostRecords = 60
/**
 * The most events of a type about a record, and the most receipts, requests, changes and jobs of
 * all records.
 */
const mostOfOne = 100

/** A record's timeline from its module. */
type Chapter = { id: Id; kind: string; timeline: Timeline }

/**
 * Tells everything in the clock of the mode, which a test may have moved: what other clocks noted is
 * told as no earlier than the record or event that it is about.
 * @param machineNow the machine's time, to tell when queued jobs run
 * @throws {Refusal} `not_found` when no record of the business and mode has the id
 */
export async function explain(
  view: View,
  timelines: TimelineSource[],
  { id, machineNow }: { id: string; machineNow: Date },
): Promise<Answer> {
  const { chapters, truncated } = isId(id)
    ? await read(view, timelines, id)
    : { chapters: [], truncated: false }
  const [first] = chapters
  if (!first) refuse('not_found', `There is no record '${id}'.`)
  const records = chapters.map(({ id: record }) => record)
  const transactions = [...new Set(chapters.flatMap(({ timeline }) => timeline.transactions ?? []))]
  const sought = chapters.flatMap(soughtOf)
  const showsWho = mayDo(view.scope, 'manage')
  const [events, postings, receipts, requests, changes] = await Promise.all([
    eventsAbout(view, sought, mostOfOne),
    postingsOf(view, transactions, mostEntries + 1),
    receiptsOfTransactions(view, transactions, mostOfOne),
    showsWho ? requestsOf(view, records, mostOfOne) : [],
    showsWho ? changesOf(view, records, mostOfOne) : [],
  ])
  const entries = [
    ...statesOf(chapters),
    ...postings.map(postingEntry),
    ...receipts.map(receiptEntry),
    ...events.flatMap(eventEntries),
    ...[...requests.map(requestEntry), ...changes.map(changeEntry)].map(notBefore(chapters)),
  ].sort(inOrder)
  const offsetMs = view.scope.now.getTime() - machineNow.getTime()
  const waiting = await waitingEntries(view, timelines, { records, events, offsetMs })
  const shown = [...entries, ...waiting].slice(-mostEntries)
  return {
    id,
    kind: first.kind,
    status: first.timeline.status,
    entries: shown,
    related: relatedOf(chapters),
    truncated:
      truncated || entries.length + waiting.length > shown.length || events.length >= mostOfOne,
    livemode: view.scope.livemode,
  }
}

/** Reads the record, its parts, their parts, and so on. */
async function read(
  view: View,
  timelines: TimelineSource[],
  id: Id,
): Promise<{ chapters: Chapter[]; truncated: boolean }> {
  const chapters: Chapter[] = []
  const known = new Set<Id>()
  const waiting: Part[] = [{ id }]
  let truncated = false
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (known.has(part.id)) continue
    known.add(part.id)
    if (chapters.length === mostRecords) return { chapters, truncated: true }
    const chapter = await readChapter(view, timelines, part)
    if (!chapter) continue
    chapters.push(chapter)
    waiting.push(...(chapter.timeline.parts ?? []))
    const found = timelines.map(
      ({ partsOf }) => partsOf?.[chapter.kind]?.(view, chapter.id, mostParts + 1) ?? [],
    )
    for (const parts of await Promise.all(found)) {
      truncated ||= parts.length > mostParts
      waiting.push(...parts.slice(0, mostParts))
    }
  }
  return { chapters, truncated }
}

/** If a record's kind is unknown, all modules are queried concurrently. */
async function readChapter(
  view: View,
  timelines: TimelineSource[],
  { id, kind }: Part,
): Promise<Chapter | null> {
  const asked = timelines.filter((source) => kind === undefined || source.kind === kind)
  const read = await Promise.all(asked.map((source) => source.read?.(view, id) ?? null))
  const at = read.findIndex((one) => one !== null)
  return at < 0
    ? null
    : { id, kind: (asked[at] as TimelineSource).kind, timeline: read[at] as Timeline }
}

const entry = (
  at: Date,
  kind: Entry['kind'],
  title: string,
  detail: object,
  ids: Record<string, Id | null>,
): Entry => ({
  at,
  kind,
  title,
  detail: withNumbers(detail) as Record<string, unknown>,
  ids: Object.fromEntries(
    Object.entries(ids).filter((pair): pair is [string, Id] => pair[1] !== null),
  ),
})

/** Parts of these start after and end before them, if both happen in one moment. */
const wholes = ['invoice', 'payment', 'payout', 'refund']

/** Returns the moments of all records, in an order that does not depend on the requested one. */
function statesOf(chapters: Chapter[]): Entry[] {
  const moments = chapters.flatMap(({ id, kind, timeline }) =>
    timeline.moments.map(({ at, title, detail = {}, ids = { [kind]: id }, ...moment }, i) => {
      const depth = [...wholes, kind].indexOf(kind)
      const last = timeline.moments.length - 1
      const place = i === 0 ? depth : i === last ? 3 * wholes.length - depth : wholes.length + 1
      return {
        id,
        place,
        shown: entry(at, moment.kind ?? 'state', title, detail, ids),
      }
    }),
  )
  return moments
    .sort((a, b) => a.place - b.place || (a.id < b.id ? -1 : Number(a.id > b.id)))
    .map(({ shown }) => shown)
}

/** The events of its moments, and further requested ones. */
const soughtOf = ({ id: about, timeline: { moments, events = [] } }: Chapter): Sought[] => [
  ...moments.flatMap(({ event, at }): Sought[] =>
    event === undefined ? [] : [{ type: event, about, between: [at, at] }],
  ),
  ...events,
]

function postingEntry({ at, ...posting }: Awaited<ReturnType<typeof postingsOf>>[number]): Entry {
  const { debit, credit, transaction, subject, ...moved } = posting
  return entry(
    at,
    'posting',
    `From ${debit.name} to ${credit.name}`,
    { ...moved, debit, credit },
    { transaction, subject },
  )
}

function receiptEntry(receipt: Awaited<ReturnType<typeof receiptsOfTransactions>>[number]): Entry {
  const {
    created_at,
    provider_id,
    subject,
    transaction_id,
    kind,
    amount,
    currency,
    fee,
    available_at,
    settled_at,
  } = receipt
  const detail = {
    provider_reference: provider_id,
    moved: kind,
    amount,
    currency,
    fee,
    available_at,
    settled_at,
  }
  return entry(created_at, 'provider', 'The provider moved the money', detail, {
    transaction: transaction_id,
    subject,
  })
}

function eventEntries({ id, type, about, created_at, deliveries }: EventEntry): Entry[] {
  return [
    entry(
      created_at,
      'event',
      `The event ${type} was emitted`,
      { type, deliveries: deliveries.length },
      { event: id, subject: about },
    ),
    ...deliveries.flatMap(({ id: delivery, webhook_id, url, attempts }) =>
      attempts.map(({ at, delivery_id: _delivery, number: attempt, ...answer }) => {
        const { response_status, error } = answer
        const answered =
          response_status === null
            ? `gave no answer to ${type}: ${error ?? 'unknown'}`
            : `answered ${response_status} to ${type}`
        const ids = { webhook_delivery: delivery, event: id, webhook: webhook_id }
        const shownAt = at < created_at ? created_at : at
        return entry(
          shownAt,
          'delivery',
          `The endpoint ${answered}`,
          { attempt, url, ...answer },
          ids,
        )
      }),
    ),
  ]
}

function requestEntry({
  id,
  method,
  path,
  created_at,
  subject,
  key,
  ...request
}: Awaited<ReturnType<typeof requestsOf>>[number]) {
  const { status, code, address, ms, idempotency_key } = request
  const detail = { method, path, status, code, ms, idempotency_key, key, address }
  return entry(created_at, 'request', `${method} ${path} was answered ${status}`, detail, {
    request: id,
    subject,
  })
}

/** `payout.approved` in words. */
const sentenceOf = (action: string): string =>
  action.replace(/[._]/g, ' ').replace(/^./, (first) => first.toUpperCase())

function changeEntry({
  id,
  action,
  subject,
  actor,
  address,
  before,
  after,
  created_at,
}: Awaited<ReturnType<typeof changesOf>>[number]) {
  return entry(
    created_at,
    'change',
    sentenceOf(action),
    { action, actor, address, before, after },
    { audit_entry: id, subject },
  )
}

/** Returns a function that moves an entry after the first moment of its record. */
function notBefore(chapters: Chapter[]): (one: Entry) => Entry {
  const startedAt = new Map(chapters.map(({ id, timeline }) => [id, timeline.moments[0]?.at]))
  return (one) => {
    const from = startedAt.get(one.ids.subject as Id)
    return from !== undefined && one.at < from ? { ...one, at: from } : one
  }
}

/** Returns planned work, the next first: jobs, and further delivery attempts. */
async function waitingEntries(
  view: View,
  timelines: TimelineSource[],
  { records, events, offsetMs }: { records: Id[]; events: EventEntry[]; offsetMs: number },
): Promise<Entry[]> {
  const { now } = view.scope
  const shifted = (at: Date | null): Date => (at === null ? now : later(at, offsetMs))
  const titles = Object.assign({}, ...timelines.map(({ jobs }) => jobs ?? {})) as Record<
    string,
    string
  >
  const jobs = (await waitingFor(view, records, mostOfOne)).map(
    ({ task, subject, at, attempts, max_attempts, running }) =>
      entry(
        // A timer is in the time of the mode, a job in the machine's.
        attempts === null ? (at ?? now) : shifted(at),
        'waiting',
        titles[task] ?? task,
        { task, attempts, max_attempts, running },
        { subject },
      ),
  )
  const tries = events.flatMap(({ type, deliveries, id: event }) =>
    deliveries.flatMap(({ id, webhook_id, status, url, next_attempt_at, attempts }) =>
      status === 'pending'
        ? [
            entry(
              shifted(next_attempt_at),
              'waiting',
              `The event ${type} is to be delivered`,
              { url, attempts: attempts.length },
              { webhook_delivery: id, event, webhook: webhook_id },
            ),
          ]
        : [],
    ),
  )
  return [...jobs, ...tries].sort((a, b) => a.at.getTime() - b.at.getTime())
}

const order: Entry['kind'][] = [
  'state',
  'request',
  'posting',
  'provider',
  'change',
  'event',
  'delivery',
  'waiting',
]

/** In one moment, the cause comes before its effects. */
const inOrder = (a: Entry, b: Entry): number =>
  a.at.getTime() - b.at.getTime() || order.indexOf(a.kind) - order.indexOf(b.kind)

/** Returns the ids of all shown and related records by kind, without the requested one. */
function relatedOf(chapters: Chapter[]): Record<string, Id[]> {
  const found = new Map<string, Set<Id>>()
  const add = (kind: string, id: Id) => found.set(kind, (found.get(kind) ?? new Set()).add(id))
  for (const { id, kind, timeline } of chapters) {
    if (id !== chapters[0]?.id) add(kind, id)
    for (const [name, other] of Object.entries(timeline.related ?? {}))
      if (other !== null && other !== chapters[0]?.id) add(name, other)
  }
  return Object.fromEntries([...found].map(([kind, ids]) => [kind, [...ids]]))
}
