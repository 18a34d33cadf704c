import type { App } from '../../core/app.ts'
import type { PersonalPart } from '../../core/personal.ts'
import { sql, sqlOfAll } from '../../db/db.ts'
import { later } from '../../lib/clock.ts'

const selectMails = sql<{ record: Record<string, unknown> }>(
  'mail.select_personal',
  `select to_jsonb(m) - 'business_id' as record from mails m
    where business_id = $1 and livemode = $2 and lower(recipient) = any (select lower(unnest($3::text[])))
    order by id desc limit $4`,
)

/** A mail sent once keeps its row per recipient. */
const eraseMails = sql(
  'mail.erase',
  `update mails set recipient = 'erased ' || id, subject = '', body = '', status = case when status = 'queued' then 'dropped' else status end
    where business_id = $1 and livemode = $2 and lower(recipient) = any (select lower(unnest($3::text[])))`,
)

/** Mails to the customer's addresses, about any subject. */
export const personalMails: PersonalPart = {
  name: 'mails',
  async records(view, { emails }, most) {
    return (await view.rows(selectMails, [emails, most + 1])).map(({ record }) => record)
  },
  async erase(work, { emails }) {
    if (emails.length > 0) await work.rows(eraseMails, [emails])
  },
}

const forgottenAtOnce = 1_000n

// Of all businesses. Unsent mails are kept until they are sent.
const forgetOld = sqlOfAll<{ forgotten: bigint }>(
  'mail.forget_old',
  `with old as (
     select business_id, livemode, id from mails
      where body <> '' and created_at < $1 and status <> 'queued' order by created_at limit $2 for update skip locked
   ), forgotten as (
     update mails m set recipient = 'erased ' || m.id, subject = '', body = '' from old o
      where m.business_id = o.business_id and m.livemode = o.livemode and m.id = o.id
     returning 1
   )
   select count(*) as forgotten from forgotten`,
)

/** Empties mails that are `MAILS_KEEP` old; their rows stay. */
export async function forgetOldMails({
  db,
  clock,
  config,
}: Pick<App, 'db' | 'clock' | 'config'>): Promise<void> {
  if (config.MAILS_KEEP === 0) return
  const before = later(clock.now(), -config.MAILS_KEEP)
  let forgotten: bigint
  do forgotten = (await db.row(forgetOld, [before, forgottenAtOnce]))?.forgotten ?? 0n
  while (forgotten === forgottenAtOnce)
}
