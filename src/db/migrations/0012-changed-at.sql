-- When a record last changed, where nothing kept it.

alter table ledger_accounts add column changed_at timestamptz(3);
comment on column ledger_accounts.changed_at is 'When the balance last changed, in the time of its business and mode; null: never';

update ledger_accounts a set changed_at = last.posted_at
  from (select business_id, livemode, side.account, max(posted_at) as posted_at
          from ledger_postings cross join lateral (values (debit_account), (credit_account)) as side (account)
         group by business_id, livemode, side.account) last
 where a.business_id = last.business_id and a.livemode = last.livemode and a.id = last.account;
