/**
 * The log of requests that came with a key, kept for a while. Answered requests are collected in
 * memory and written in batches, outside the transactions of payments: no request waits for them.
 */
import { rangeOf } from '../../books/profiles/profiles.ts'
import type { App, Scope } from '../../core/app.ts'
import type { View } from '../../core/inside.ts'
import { type PageOf, pageOf } from '../../db/lists/list.ts'
import { later } from '../../lib/clock.ts'
import { refuse } from '../../lib/errors.ts'
import { type Id, idBound, idsEnd } from '../../lib/ids.ts'
import type { Static } from '../../lib/schema.ts'
import { maskedBody } from './masking.ts'
import type { RequestQuery, RequestRecord } from './schema.ts'
import * as statements from './sql.ts'

/** An answered request, without the fields of its scope. */
export type Answered = Pick<
  statements.RequestRow,
  'id' | 'method' | 'path' | 'status' | 'code' | 'ms' | 'subject' | 'idempotency_key'
>

export type Recorder = {
  /** Adds a request that came with a key. Other requests have no business. `body` is parsed. */
  add(scope: Scope, request: Answered, body: unknown): void
  /** Writes the collected requests. */
  flush(): Promise<void>
  /** Returns how many were not recorded: too many were waiting, or the database failed. */
  dropped(): number
}

type Waiting = { businessId: string; row: statements.RequestRow }

const writeEveryMs = 1_000
const batchSize = 500
const mostWaiting = 10_000

/** Makes the recorder of a process. */
export function makeRecorder({ db, log }: Pick<App, 'db' | 'log'>): Recorder {
  const waiting: Waiting[] = []
  let dropped = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  const writeBatch = async (): Promise<void> => {
    const batch = waiting.splice(0, batchSize)
    try {
      await db.rows(statements.insertRequests, columnsOf(batch))
    } catch (error) {
      dropped += batch.length
      log.warn({ err: error, requests: batch.length }, 'requests were not recorded')
    }
  }

  /**
   * Writes until at most `left` requests wait, in one statement at a time. Requests that arrive
   * meanwhile go into the next statement.
   */
  const writeDownTo = async (left: number): Promise<void> => {
    while (writing) await writing
    writing = (async () => {
      while (waiting.length > left) await writeBatch()
    })()
    await writing
    writing = null
    schedule()
  }

  const schedule = (): void => {
    if (timer || writing || waiting.length === 0) return
    timer = setTimeout(() => {
      timer = null
      void writeDownTo(0)
    }, writeEveryMs).unref()
  }

  return {
    add({ businessId, livemode, actor }, request, body) {
      if (actor?.type !== 'key') return
      if (waiting.length >= mostWaiting) {
        dropped++
        return
      }
      const { id: key, address, at: created_at } = actor
      const { status } = request
      const shown = !livemode && status >= 400 && status < 500 ? maskedBody(body) : null
      const row = { ...request, livemode, key, address, body: shown, created_at }
      waiting.push({ businessId, row })
      if (waiting.length < batchSize) schedule()
      else if (!writing) void writeDownTo(batchSize - 1)
    },
    async flush() {
      if (timer) clearTimeout(timer)
      timer = null
      await writeDownTo(0)
    },
    dropped: () => dropped,
  }
}

/** The columns of `insertRequests` after the business, in its order. */
const columns = [
  'livemode',
  'id',
  'method',
  'path',
  'status',
  'code',
  'key',
  'address',
  'ms',
  'body',
  'subject',
  'idempotency_key',
  'created_at',
] as const satisfies (keyof statements.RequestRow)[]

const columnsOf = (batch: Waiting[]): unknown[][] => [
  batch.map(({ businessId }) => businessId),
  ...columns.map((name) => batch.map(({ row }) => row[name])),
]

export type RequestEntry = Static<typeof RequestRecord>

/** A list reads at most this many requests of its time, so that every search ends. */
const mostScanned = 10_000

/**
 * Newest first. `totalDocs` counts up to 10,000: there is no exact count of what is kept, as that
 * would be written with each request.
 * @throws {Refusal} `validation_failed` for what has the form of a time and is none
 */
export async function listRequests(
  view: View,
  query: Static<typeof RequestQuery>,
): Promise<PageOf<RequestEntry>> {
  const { page = 1, limit = 20, after, status, code, method, path, failed } = query
  const { from, to } = await rangeOf(view, query)
  const end = to ? idBound(to) : idsEnd
  const offset = after === undefined ? (page - 1) * limit : 0
  const isFailure = failed === true || code !== undefined || (status !== undefined && status >= 400)
  const rows = await view.rows(isFailure ? statements.selectFailed : statements.selectRequests, [
    from ? idBound(from) : '',
    after !== undefined && after < end ? after : end,
    mostScanned,
    status ?? null,
    code ?? null,
    method ?? null,
    path ?? null,
    failed ?? null,
    limit,
    offset,
  ])
  const docs = rows.flatMap((row) => (row.id === null ? [] : [toEntry(row)]))
  const totalDocs = Number(rows[0]?.total ?? 0)
  return pageOf({ page, limit, after }, docs, totalDocs, offset + limit < totalDocs)
}

const toEntry = ({ total: _total, ...row }: statements.Listed): RequestEntry => row

/** @throws {Refusal} `not_found` when it was never made, or is no longer kept */
export async function getRequest(view: View, id: string): Promise<RequestEntry> {
  const row = await view.row(statements.selectRequest, [id])
  return row ?? refuse('not_found', `There is no request '${id}', or it is no longer kept.`)
}

/** The latest whose answers were some records, the newest first. */
export async function requestsOf(
  view: View,
  subjects: Id[],
  limit: number,
): Promise<RequestEntry[]> {
  return view.rows(statements.selectRequestsOf, [subjects, limit])
}

const deletedAtOnce = 5_000

/** Deletes what is older than REQUESTS_KEEP. */
export async function forgetOldRequests({ db, clock, config }: App): Promise<void> {
  const before = later(clock.now(), -config.REQUESTS_KEEP)
  let deleted: bigint
  do deleted = (await db.row(statements.deleteOld, [before, deletedAtOnce]))?.deleted ?? 0n
  while (deleted >= deletedAtOnce)
}
