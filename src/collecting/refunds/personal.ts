import { recordsOf } from '../../core/personal.ts'

const personal = `array['account_name', 'account_number', 'resolved_account_name', 'holder_address', 'address']`

/** What refunds say of where money went. What tells sources of funds apart stays where it names nobody. */
export const personalRefunds = recordsOf({
  table: 'refunds',
  hidden: ['way', 'submissions'],
  needs: { where: `status = 'initiated'`, says: (id) => `Refund '${id}' is on its way: wait for its end.` },
  emails: 'email',
  empties: {
    set: `email = null,
          destination = case when jsonb_exists(destination, 'sender') then jsonb_set(destination, '{sender}', '{}')
                             else destination - ${personal} end,
          way = case when way like 'bank %' or way like 'crypto %' then 'erased' else way end`,
    where: `status <> 'initiated' and (email is not null or jsonb_exists_any(destination, ${personal})
            or destination -> 'sender' <> '{}' or way like 'bank %' or way like 'crypto %')`,
    ofPayment: 'payment_id',
  },
})
