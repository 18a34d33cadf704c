import { recordsOf } from '../../core/personal.ts'

/**
 * The names of accounts of customers. Their numbers stay: money that still comes to them is booked.
 */
export const personalAccounts = recordsOf({
  table: 'virtual_accounts',
  where: 'and payment_id is null',
  needs: {
    where: `status in ('pending', 'active')`,
    says: (id) =>
      `Virtual account '${id}' takes money for the customer: close it (PATCH /virtual-accounts/${id}/close).`,
  },
  empties: { set: `account_name = 'erased'`, where: `account_name <> 'erased'` },
})
