-- Understood by servers from 0014 on.
-- What a business answers to disputes, and what the dashboard answers to forms.

create table dispute_evidence (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, payment_id object_id, customer_id object_id,
  texts bytea, accepts boolean not null default false, status text not null check (status in ('draft', 'sending', 'sent', 'refused')), failure text,
  answer_number integer not null default 0, tried_at timestamptz(3), answers_before integer, submitted_at timestamptz(3),
  payer_erased boolean not null default false, created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  primary key (business_id, livemode, id), foreign key (business_id, livemode, id) references disputes, check ((status = 'refused') = (failure is not null)));
comment on table dispute_evidence is 'The answer to a dispute, by the id of the dispute.';
comment on column dispute_evidence.texts is 'What a person wrote, encrypted; null: nothing, or erased';
comment on column dispute_evidence.accepts is 'The business accepts the dispute, and submits no evidence';
comment on column dispute_evidence.failure is 'Why the provider refused the answer';
comment on column dispute_evidence.answer_number is 'Counts answers: one more after each that the provider refused, and whenever it asks again';
comment on column dispute_evidence.tried_at is 'When this answer may have left first: from then on, the provider is asked before it is sent again';
comment on column dispute_evidence.answers_before is 'How many answers the provider had when this one was first tried';
comment on column dispute_evidence.payer_erased is 'The payer was erased: the evidence is emptied once the dispute is decided';
create index dispute_evidence_of_customer on dispute_evidence (business_id, livemode, customer_id) where customer_id is not null;
create index dispute_evidence_of_payment on dispute_evidence (business_id, livemode, payment_id) where payment_id is not null;

create table dispute_files (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, dispute_id object_id not null, payment_id object_id,
  customer_id object_id, kind text not null check (kind in ('receipt', 'delivery', 'communication', 'other')),
  type text not null check (type in ('application/pdf', 'image/png', 'image/jpeg')), bytes integer not null check (bytes > 0), sha256 text not null,
  content bytea, created_at timestamptz(3) not null, updated_at timestamptz(3) not null, primary key (business_id, livemode, id),
  unique (business_id, livemode, dispute_id, kind), foreign key (business_id, livemode, dispute_id) references disputes);
comment on table dispute_files is 'Files of evidence, one of each kind for a dispute.';
comment on column dispute_files.content is 'Encrypted; null: erased';
comment on column dispute_files.sha256 is 'Of the content before it was encrypted, in hex';
create index dispute_files_of_customer on dispute_files (business_id, livemode, customer_id) where customer_id is not null;
create index dispute_files_of_payment on dispute_files (business_id, livemode, payment_id) where payment_id is not null;

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'posting_seals', 'timers', 'idempotency_keys', 'requests', 'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends',
    'events', 'mails', 'team_notices', 'team_notice_times', 'attention_done', 'webhook_outages', 'limit_rule_days', 'payout_destination_days',
    'screening_reviews', 'held_deposits', 'customer_days', 'dispute_files', 'dispute_evidence', 'dispute_movements', 'disputes', 'conversions',
    'conversion_quotes', 'credit_note_parts', 'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products',
    'distribution_returns', 'distribution_entries', 'distribution_settlements', 'distribution_shares', 'distributions', 'refunds', 'payment_attempts',
    'payment_crypto_quotes', 'payments', 'pay_links', 'collections', 'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices',
    'virtual_accounts', 'payout_batch_lines', 'payout_batches', 'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries',
    'provider_customers', 'provider_receipts', 'provider_references', 'customer_documents', 'customer_words', 'customer_keys', 'customers',
    'transactions', 'posting_sums', 'ledger_postings', 'opening_balances'
  ]
$body$;

create table kept_pages (
  id text primary key, session_id object_id not null references person_sessions on delete cascade, path text not null, status integer not null,
  page bytea not null, created_at timestamptz(3) not null);
comment on table kept_pages is 'What the dashboard answers to a form, for an hour: the browser is sent to it, so that Back and reload never send the form again.';
comment on column kept_pages.page is 'HTML, encrypted';
create index kept_pages_of_session on kept_pages (session_id, created_at);
