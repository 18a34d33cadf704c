import { recordsOf } from '../../core/personal.ts'

/** Whom invoices were made out to. */
export const personalInvoices = recordsOf({
  table: 'invoices',
  hidden: ['slug'],
  needs: {
    where: `status in ('draft', 'open')`,
    says: (id) =>
      `Invoice '${id}' is not ended: delete the draft (DELETE /invoices/${id}), void it (POST /invoices/${id}/void), or wait until it is paid.`,
  },
  emails: `bill_to ->> 'email'`,
  empties: { set: 'bill_to = null', where: `bill_to is not null and status in ('paid', 'void')` },
})
