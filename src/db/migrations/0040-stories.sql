-- What became of a record is read by the record: its postings by its transaction, its timers, changes and requests by its id; and its
-- events by the moments at which they were emitted, which records keep.

-- Nothing reads postings by their number alone, nor timers by theirs: the keys that tell them apart begin with what they are found by, and
-- cost no index more.
alter table ledger_postings drop constraint ledger_postings_pkey,
  add constraint ledger_postings_pkey primary key (business_id, livemode, transaction_id, id);
alter table timers drop constraint timers_pkey,
  add constraint timers_pkey primary key (business_id, livemode, subject, id);

alter table payments add column ended_at timestamptz(3);
comment on column payments.ended_at is 'When it was no longer pending; null of those that ended before 0040';
alter table virtual_accounts add column opened_at timestamptz(3);
comment on column virtual_accounts.opened_at is 'When its rail opened it, where that came later than it was asked for';

create index transactions_of_account on transactions
  (business_id, livemode, (coalesce(related->>'virtual_account', related->>'crypto_wallet')), id) where type = 'deposit';
create index audit_log_of_subject on audit_log (business_id, livemode, subject, id);

alter table requests add column subject object_id, add column idempotency_key text;
comment on column requests.subject is 'The record that its answer is; null where that has no id, and of what was refused';
comment on column requests.idempotency_key is 'The Idempotency-Key that it came with';
create index requests_of_subject on requests (business_id, livemode, subject, id) where subject is not null;
