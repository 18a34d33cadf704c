-- Payouts that screening holds wait for a person of the operator's: what was found, who decided, and the operator's own lists.

create table screening_entries (
  id object_id primary key,
  kind text not null check (kind in ('block', 'allow')),
  key text not null,
  value text not null,
  list text,
  note text,
  made_by text not null,
  created_at timestamptz(3) not null,
  constraint screening_entries_list check ((kind = 'allow') = (list is not null))
);
comment on table screening_entries is 'The operator''s own lists, for the whole installation: what nothing is paid to unseen, and what is let through though another list has it';
comment on column screening_entries.key is 'What is looked for: address, account or name, and its value in one form';
comment on column screening_entries.value is 'The value as it was given';
comment on column screening_entries.list is 'Of what is allowed: the list whose hits are let through';
comment on column screening_entries.made_by is 'Who did: how to recognise a key of the operator, the id of a person, or the name that a command was given';
create unique index screening_entries_once on screening_entries (key, kind, coalesce(list, ''));

create table screening_reviews (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  kind text not null check (kind in ('payout')),
  subject object_id not null,
  reason text not null check (reason in ('sanctions_list', 'block_list')),
  hits jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'released', 'refused', 'ended')),
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  decided_by text,
  note text,
  primary key (business_id, livemode, id),
  constraint screening_reviews_decided check (
    (status = 'waiting') = (decided_at is null) and (status in ('released', 'refused')) = (decided_by is not null)
    and (note is null or decided_by is not null))
);
comment on table screening_reviews is 'What screening found, and what became of it';
comment on column screening_reviews.subject is 'The payout that waits';
comment on column screening_reviews.hits is 'What was found: on which list, by what, and why it is there';
comment on column screening_reviews.status is 'ended: its business canceled it, or it was found to be paid, before anybody decided';
comment on column screening_reviews.decided_by is 'Who decided: the id of a person, how to recognise a key of the operator, or the name that a command was given';
comment on column screening_reviews.note is 'What that person wrote, for those who look after the installation alone';
create unique index screening_reviews_by_id on screening_reviews (id);
create index screening_reviews_waiting on screening_reviews (livemode, id) where status = 'waiting';
create index screening_reviews_ended on screening_reviews (decided_at desc) where status <> 'waiting';
-- One that waits for each subject; and those that were released are looked for when it is found again.
create index screening_reviews_of_subject on screening_reviews (business_id, livemode, subject, status);
create unique index screening_reviews_once on screening_reviews (business_id, livemode, subject) where status = 'waiting';

-- Null costs those nothing that are not held.
alter table payouts add column review jsonb, add constraint payouts_review check (review is null or status = 'pending');
comment on column payouts.review is 'Why screening holds it, and since when; null: it does not, or not any more';

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'timers', 'idempotency_keys', 'requests',
    'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends', 'events',
    'mails', 'team_notices', 'team_notice_times', 'webhook_outages',
    'limit_rule_days', 'payout_destination_days', 'screening_reviews',
    'dispute_movements', 'disputes', 'conversions', 'conversion_quotes',
    'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions',
    'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links', 'collections',
    'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts',
    'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references',
    'customer_documents', 'customer_words', 'customer_keys', 'customers', 'transactions', 'posting_sums', 'ledger_postings'
  ]
$body$;
