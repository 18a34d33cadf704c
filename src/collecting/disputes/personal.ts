import { recordsOf } from '../../core/personal.ts'

/**
 * Disputes say nothing of a person, but an open one has to be answered with what is known of the
 * customer.
 */
export const personalDisputes = recordsOf({
  table: 'disputes',
  needs: { where: `status = 'open'`, says: (id) => `Dispute '${id}' is open: wait for its end.` },
})

/** Nobody needs the evidence of a decided dispute once its payer is erased. */
export const personalEvidence = recordsOf({
  table: 'dispute_evidence',
  hidden: ['texts'],
  empties: { set: 'texts = null', where: 'texts is not null', ofPayment: 'payment_id' },
})

export const personalFiles = recordsOf({
  table: 'dispute_files',
  hidden: ['content'],
  empties: { set: 'content = null', where: 'content is not null', ofPayment: 'payment_id' },
})
