import { recordsOf } from '../../core/personal.ts'

/** Who sent the money of transactions. */
export const personalTransactions = recordsOf({
  table: 'transactions',
  empties: {
    set: 'source = null',
    where: `source is not null and status <> 'pending'`,
    ofPayment: `related ->> 'payment'`,
  },
})
