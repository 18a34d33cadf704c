import type { PersonalPart } from '../../core/personal.ts'
import { sql } from '../../db/db.ts'

const eraseBodies = sql(
  'requests.erase',
  `update requests set body = null
    where business_id = $1 and livemode = $2 and body is not null
      and exists (select from unnest($3::text[]) as value where position(lower(value) in lower(body)) > 0)`,
)

/** Bodies of requests that were refused, which are kept in test mode alone. */
export const personalRequests: PersonalPart = {
  name: 'requests',
  async erase(work, { emails, values }) {
    if (!work.scope.livemode && emails.length + values.length > 0)
      await work.rows(eraseBodies, [[...emails, ...values]])
  },
}
