import { rowsOf, sql, sqlOfAll, sqlOfMany } from '../../db/db.ts'
import type { Id } from '../../lib/ids.ts'

/** A request as it is kept. */
export type RequestRow = {
  id: Id
  livemode: boolean
  method: string
  path: string
  status: number
  code: string | null
  key: Id
  address: string
  ms: number
  body: string | null
  subject: Id | null
  idempotency_key: string | null
  created_at: Date
}

const columns =
  'id, livemode, method, path, status, code, key_id as key, address, ms, body, subject, idempotency_key, created_at'

/** Of any number of businesses. By itself, in no transaction of theirs. */
export const insertRequests = sqlOfMany(
  'requests.insert',
  `insert into requests (business_id, livemode, id, method, path, status, code, key_id, address, ms, body, subject,
                         idempotency_key, created_at)
   ${rowsOf(
     'business_id text, livemode boolean, id text, method text, path text, status integer, code text, key_id text, address text, ms float8, body text, subject text, idempotency_key text, created_at timestamptz',
   )}`,
)

export const selectRequest = sql<RequestRow>(
  'requests.select_one',
  `select ${columns} from requests where business_id = $1 and livemode = $2 and id = $3`,
)

/** The latest whose answers were some records. */
export const selectRequestsOf = sql<RequestRow>(
  'requests.select_of',
  `select r.*
     from unnest($3::text[]) as asked (subject)
    cross join lateral (select ${columns} from requests
                         where business_id = $1 and livemode = $2 and subject = asked.subject order by id desc limit $4) r
    order by id desc limit $4`,
)

/** `null`s in a row that there is no request, beside the total. */
export type Listed = RequestRow & { total: bigint }
export type ListedNone = { [K in keyof RequestRow]: null } & { total: bigint }

/**
 * A page of those from the id `$3` on and before `$4`, newest first, and how many there are, of the
 * newest `$5`: so that it has an end whatever is looked for. `$6` to `$10` narrow it, where they
 * are not null. Always gives a row.
 */
const select = (name: string, among: string) =>
  sql<Listed | ListedNone>(
    name,
    `with scanned as (
       select id, method, path, status, code
         from requests
        where business_id = $1 and livemode = $2 and id >= $3 and id < $4 ${among}
        order by id desc limit $5
     ), found as materialized (
       select id from scanned
        where ($6::integer is null or status = $6) and ($7::text is null or code = $7)
          and ($8::text is null or method = $8) and ($9::text is null or starts_with(path, $9))
          and ($10::boolean is null or (status >= 400) = $10)
     ), page as (
       select id from found order by id desc limit $11 offset $12
     )
     select total, shown.*
       from (select count(*) as total from found) counted
       left join (select ${columns} from requests join page using (id)
                   where business_id = $1 and livemode = $2) shown on true
      order by id desc`,
  )

export const selectRequests = select('requests.select', '')

/** By the index of those that failed: of a busy business the newest others would hide them. */
export const selectFailed = select('requests.select_failed', 'and status >= 400')

/** Waits for no row: another process may be deleting the same. */
export const deleteOld = sqlOfAll<{ deleted: bigint }>(
  'requests.delete_old',
  `with deleted as (
     delete from requests
      where ctid = any (array(select ctid from requests where created_at < $1 order by created_at limit $2 for update skip locked))
     returning 1
   )
   select count(*) as deleted from deleted`,
)
