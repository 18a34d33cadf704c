import { replanned, rowsOf, sql, sqlOfAll } from '../../db/db.ts'
import { sealedColumn } from '../../db/sealed.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import { modeOf } from '../../lib/mode.ts'
import type { NotifiedKind } from '../../rails/ports/inbound.ts'

/** Longest name of an event or a record that is stored. Characters. */
export const longestName = 200

export type Outcome = 'applied' | 'nothing_to_do' | 'unknown_subject' | 'quarantined'

/** A stored event. Its columns hold nothing of the body but references. */
export type ProviderEvent = {
  id: Id
  livemode: boolean
  rail: string
  key: string
  type: string
  kind: NotifiedKind
  reference: string | null
  provider_id: string | null
  received_at: Date
  deliveries: number
  tries: number
  business_id: Id | null
  subject: Id | null
  /** Null until the event is applied. */
  outcome: Outcome | null
  ended_at: Date | null
}

const columns = `id, livemode, rail, key, type, kind, reference, provider_id, received_at, deliveries, tries, business_id, subject,
                 outcome, ended_at`

/** Inserts an event or counts its delivery. It belongs to no business before it is applied. */
export const insertEvent = sqlOfAll<{ id: Id; deliveries: number; ended: boolean }>(
  'inbound.insert_event',
  `insert into provider_events as known (livemode, rail, key, id, type, kind, reference, provider_id, body, received_at, outcome, ended_at, swept)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, case when $11::text is not null then $10::timestamptz end, $12)
   on conflict (livemode, rail, key) do update set deliveries = known.deliveries + 1, swept = known.swept and excluded.swept
   returning id, deliveries, outcome is not null as ended`,
)

export const selectEvent = sqlOfAll<ProviderEvent>(
  'inbound.select_event',
  `select ${columns} from provider_events where id = $1`,
)

export const selectBody = sqlOfAll<ProviderEvent & { body: Buffer | null }>(
  'inbound.select_body',
  `select ${columns}, body from provider_events where id = $1 and rail = $2`,
)

/** Deletes the body of an applied event, because it may contain personal data. */
export const endEvent = sqlOfAll<{ id: Id }>(
  'inbound.end_event',
  `update provider_events
      set outcome = $2, ended_at = $3, business_id = $4, subject = $5,
          body = case when $2 in ('applied', 'nothing_to_do') then null else body end
    where id = $1 and outcome is null returning id`,
)

/** Counts a try unless another process has. The process that counts it schedules the next. */
export const countTry = sqlOfAll<{ id: Id }>(
  'inbound.count_try',
  'update provider_events set tries = tries + 1 where id = $1 and tries = $2 and outcome is null returning id',
)

export const selectEvents = sqlOfAll<ProviderEvent>(
  'inbound.select_events',
  `select ${columns} from provider_events where rail = $1 order by id desc limit $2`,
)

/** Reopens all events without effect, or one event whatever its outcome. */
export const reopenEvents = sqlOfAll<{ id: Id; livemode: boolean }>(
  'inbound.reopen_events',
  `update provider_events set outcome = null, ended_at = null, tries = 0
    where id in (select id from provider_events
                  where rail = $1 and type <> 'unreadable'
                    and (id = $2 or ($2::text is null and (outcome is null or outcome in ('unknown_subject', 'quarantined'))))
                  order by id limit $3 for update)
   returning id, livemode`,
)

export const countUnapplied = sqlOfAll<{
  livemode: boolean
  rail: string
  unapplied: bigint
  oldest: Date
}>(
  'inbound.count_unapplied',
  `select livemode, rail, count(*) as unapplied, min(received_at) as oldest
     from provider_events where outcome is null group by 1, 2 order by 1, 2`,
)

/** Selects when each account last notified us: by a webhook, and by a sweep. */
export const selectLastNotified = sqlOfAll<{
  livemode: boolean
  rail: string
  webhook_at: Date | null
  swept_at: Date | null
}>(
  'inbound.select_heard',
  `select asked.livemode, asked.rail,
          (select received_at from provider_events e
            where e.rail = asked.rail and e.livemode = asked.livemode and not swept order by id desc limit 1) as webhook_at,
          (select received_at from provider_events e
            where e.rail = asked.rail and e.livemode = asked.livemode and swept order by id desc limit 1) as swept_at
     from ${rowsOf('livemode boolean, rail text')} as asked`,
)

/** Keeps events with an open incident. Skips rows that another process is deleting. */
export const deleteOld = replanned(
  sqlOfAll<{ deleted: bigint }>(
    'inbound.delete_old',
    `with deleted as (
       delete from provider_events
        where ctid = any (array(
                select ctid from provider_events e
                 where ended_at < $1
                   and not exists (select from provider_incidents i
                                    where i.livemode = e.livemode and i.rail = e.rail and i.subject = e.id and i.closed_at is null)
                 order by ended_at limit $2 for update skip locked))
       returning 1
     )
     select count(*) as deleted from deleted`,
  ),
)

/** Returns what a body's encryption is bound to, so that it decrypts in no other row. */
export const bodyOwner = (event: { livemode: boolean; rail: string; key: string }): string =>
  `${modeOf(event.livemode)} ${event.rail} ${event.key}`

export const sealedBodies = sealedColumn({
  table: 'provider_events',
  column: 'body',
  key: ['rail', 'key'],
  ofServer: 'with a mode',
  purpose: 'provider event',
  ownerOf: bodyOwner,
})

// Sweeps
// -------------------------------------------------------------------------------------------------

export const selectSweep = sqlOfAll<{ until: Date }>(
  'inbound.select_sweep',
  'select until from provider_sweeps where livemode = $1 and rail = $2',
)

export const recordSweep = sqlOfAll(
  'inbound.record_sweep',
  `insert into provider_sweeps as known (livemode, rail, until) values ($1, $2, $3)
   on conflict (livemode, rail) do update set until = greatest(known.until, excluded.until)`,
)

export const selectKeys = sqlOfAll<{ key: string }>(
  'inbound.select_keys',
  'select key from provider_events where livemode = $1 and rail = $2 and key = any ($3)',
)

// References
// -------------------------------------------------------------------------------------------------

export const references = t.table('provider_references', {
  rail: t.text(),
  kind: t.text<NotifiedKind>(),
  reference: t.text(),
  subject: t.text<Id>(),
  provider_id: t.nullable(t.text()),
  created_at: t.time(),
})

export const updateProviderId = sql(
  'inbound.update_provider_id',
  `update provider_references set provider_id = $6
    where business_id = $1 and livemode = $2 and rail = $3 and kind = $4 and reference = $5 and provider_id is null`,
)

/** Finds a record of any business: by our reference first, then by the provider's id. */
export const selectOwner = sqlOfAll<{ business_id: Id; subject: Id }>(
  'inbound.select_owner',
  `select business_id, subject
     from provider_references
    where livemode = $1 and rail = $2 and kind = $3 and (reference = $4 or provider_id = $5)
    order by reference = $4 desc nulls last limit 1`,
)
