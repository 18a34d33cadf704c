import type { Check } from '../../core/module.ts'

/** Invariant: the pending balance of a wallet equals what is on its way out. */
export const walletChecks: Check[] = [
  {
    name: 'every wallet has pending what its transactions on their way out hold, and what screening holds',
    text: ({ alike }) => `
      select w.business_id, w.livemode, 'wallet ' || w.currency as what,
             coalesce(held.amount, 0)::text as expected, a.balance::text as found
        from wallets w
        join ledger_accounts a on a.business_id = w.business_id and a.livemode = w.livemode and a.id = w.pending_account
        left join (select business_id, livemode, currency, sum(amount) as amount from ${alike('transactions', 'status', ['pending'])} t
                    where (direction = 'debit' or review is not null) group by business_id, livemode, currency) held
          on held.business_id = w.business_id and held.livemode = w.livemode and held.currency = w.currency
       where a.balance <> coalesce(held.amount, 0)`,
  },
]
