import { recordsOf } from '../../core/personal.ts'

/** The senders of money in transactions. */
export const personalTransactions = recordsOf({
  table: 'transactions',
  needs: {
    where: `status = 'pending' and review is not null`,
    says: (id) =>
      `Transaction '${id}' is held by screening, and keeps who sent it until the operator releases it.`,
  },
  empties: {
    set: 'source = null',
    where: `source is not null and status <> 'pending'`,
    ofPayment: `related ->> 'payment'`,
  },
})
