-- Understood by servers from 0013 on.
-- What the home page lists as needing attention, once a person of the business has dealt with it. Who did it is in the audit log.

create table attention_done (
  business_id object_id not null references businesses, livemode boolean not null, subject object_id not null, done_at timestamptz(3) not null,
  primary key (business_id, livemode, subject));
comment on table attention_done is 'Records that needed attention, and that a person has dealt with: the home page no longer lists them.';
comment on column attention_done.subject is 'The id of the payout, refund, payment or event';

create or replace function test_data_tables() returns text[] language sql immutable as $body$
  select array[
    'posting_seals', 'timers', 'idempotency_keys', 'requests', 'webhook_queue', 'webhook_attempts', 'webhook_deliveries', 'sample_events', 'event_resends',
    'events', 'mails', 'team_notices', 'team_notice_times', 'attention_done', 'webhook_outages', 'limit_rule_days', 'payout_destination_days',
    'screening_reviews', 'held_deposits', 'customer_days', 'dispute_movements', 'disputes', 'conversions', 'conversion_quotes', 'credit_note_parts',
    'credit_notes', 'credit_note_numbers', 'invoice_lines', 'invoices', 'invoice_numbers', 'products', 'distribution_returns', 'distribution_entries',
    'distribution_settlements', 'distribution_shares', 'distributions', 'refunds', 'payment_attempts', 'payment_crypto_quotes', 'payments', 'pay_links',
    'collections', 'chain_deposits', 'crypto_addresses', 'crypto_wallets', 'deposit_notices', 'virtual_accounts', 'payout_batch_lines', 'payout_batches',
    'payout_schedule_runs', 'payout_schedules', 'payouts', 'payout_quotes', 'beneficiaries', 'provider_customers', 'provider_receipts',
    'provider_references', 'customer_documents', 'customer_words', 'customer_keys', 'customers', 'transactions', 'posting_sums', 'ledger_postings',
    'opening_balances'
  ]
$body$;
