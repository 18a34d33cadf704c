import { recordsOf } from '../../core/personal.ts'

/**
 * Disputes say nothing of a person, but an open one has to be answered with what is known of the
 * customer.
 */
export const personalDisputes = recordsOf({
  table: 'disputes',
  needs: { where: `status = 'open'`, says: (id) => `Dispute '${id}' is open: wait for its end.` },
})
