import type { App } from '../../core/app.ts'
import { recordsOf } from '../../core/personal.ts'
import { later } from '../../lib/clock.ts'
import type { PeriodicTask } from '../../lib/periodic.ts'
import { emptyOldGuests } from './sql.ts'

/**
 * Disputes say nothing of a person, but an open one has to be answered with what is known of the
 * customer.
 */
export const personalDisputes = recordsOf({
  table: 'disputes',
  needs: { where: `status = 'open'`, says: (id) => `Dispute '${id}' is open: wait for its end.` },
})

const isOpen = (table: string, id: string): string =>
  `exists (select 1 from disputes d where d.business_id = ${table}.business_id and d.livemode = ${table}.livemode
             and d.id = ${table}.${id} and d.status = 'open')`

const evidenceIsOpen = isOpen('dispute_evidence', 'id')

/**
 * Nobody needs the evidence of a decided dispute once its payer is erased. That of an open one is
 * only marked: it still has to reach the provider, and is emptied when the dispute is decided.
 */
export const personalEvidence = recordsOf({
  table: 'dispute_evidence',
  hidden: ['texts'],
  empties: {
    set: `payer_erased = true,
          texts = case when ${evidenceIsOpen} then texts end,
          failure = case when failure is null or ${evidenceIsOpen} then failure else 'erased' end`,
    where: `not payer_erased or ((texts is not null or failure <> 'erased') and not ${evidenceIsOpen})`,
    ofPayment: 'payment_id',
  },
})

export const personalFiles = recordsOf({
  table: 'dispute_files',
  hidden: ['content'],
  empties: {
    set: 'content = null',
    where: `content is not null and not ${isOpen('dispute_files', 'dispute_id')}`,
    ofPayment: 'payment_id',
  },
})

/** Returns the periodic task that empties evidence of guests' payments after `PAYERS_KEEP`. */
export const forgetEvidenceTask = ({ db, clock, config }: App): PeriodicTask => ({
  name: 'forget evidence',
  everyMs: 3_600_000,
  async run() {
    const { PAYERS_KEEP: keepMs } = config
    const before = keepMs === 0 ? new Date(0) : later(clock.now(), -keepMs)
    await db.rows(emptyOldGuests, [before])
  },
})
