import { sqlOfAll } from '../../db/db.ts'

/** Alerts concern the installation, not a business. */
export const insertAlerts = sqlOfAll(
  'alerts.insert',
  `insert into operator_alerts (condition, sentence, since, try_at)
   select condition, sentence, $3, try_at from unnest($1::text[], $2::text[], $4::timestamptz[]) as new (condition, sentence, try_at)
   on conflict do nothing`,
)

/**
 * Ends alerts whose condition is over, so that they are sent again when it returns. Keeps those
 * that could not be checked.
 */
export const deleteOver = sqlOfAll(
  'alerts.delete_over',
  `delete from operator_alerts
    where condition <> all ($1)
      and not exists (select from unnest($2::text[]) as unseen (prefix) where starts_with(condition, prefix))`,
)

export type DueAlert = { condition: string; sentence: string; since: Date; tries: number }

/** Claims due alerts that no other process has claimed, and schedules their retry. */
export const takeDue = sqlOfAll<DueAlert>(
  'alerts.take_due',
  `update operator_alerts a
      set tries = tries + 1, try_at = $2::timestamptz + least(power(2, tries), 60) * interval '1 minute'
    where condition in (select condition from operator_alerts
                         where try_at <= $2 and starts_with(condition, $1) order by since, condition limit 50
                           for update skip locked)
   returning condition, sentence, since, tries`,
)

export const recordNotified = sqlOfAll(
  'alerts.record_told',
  'update operator_alerts set told_at = $2, try_at = null where condition = any ($1)',
)
