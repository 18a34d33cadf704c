import type { PersonalPart } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'

const selectMails = sql<{ record: Record<string, unknown> }>(
  'mail.select_personal',
  `select to_jsonb(m) - 'business_id' as record from mails m
    where business_id = $1 and livemode = $2 and lower(recipient) = any (select lower(unnest($3::text[])))
    order by id desc limit $4`,
)

/** What is mailed once stays one row a recipient. */
const eraseMails = sql(
  'mail.erase',
  `update mails set recipient = 'erased ' || id, subject = '', body = '', status = case when status = 'queued' then 'dropped' else status end
    where business_id = $1 and livemode = $2 and lower(recipient) = any (select lower(unnest($3::text[])))`,
)

/** Mails to addresses of the customer, whatever they are about. */
export const personalMails: PersonalPart = {
  name: 'mails',
  async records(view, { emails }, most) {
    return (await view.rows(selectMails, [emails, most + 1])).map(({ record }) => record)
  },
  async erase(work, { emails }) {
    if (emails.length > 0) await work.rows(eraseMails, [emails])
  },
}
