-- Payers who pay on the page of a provider: their address where only they could give it, and attempts that are away there.

alter table payments add column payer_email text;
comment on column payments.payer_email is 'The address that the payer typed, where a rail needs one and the payment had none';
create index payments_by_payer_email on payments (business_id, livemode, lower(payer_email), created_at desc, id desc)
  where payer_email is not null;

alter table payment_attempts
  alter column brand drop not null,
  alter column last4 drop not null,
  add column starts integer check (starts > 0),
  add column url text,
  add column ends_at timestamptz(3),
  add column channel text,
  add column confirming boolean not null default false,
  add column asked_at timestamptz(3),
  drop constraint payment_attempts_status_check,
  add constraint payment_attempts_status_check
    check (status in ('processing', 'challenge', 'away', 'succeeded', 'failed')),
  add constraint payment_attempts_typed check (starts is not null or (brand is not null and last4 is not null)),
  add constraint payment_attempts_page check (status <> 'away' or (url is not null and ends_at is not null));
comment on column payment_attempts.starts is 'How often it was begun at the provider, each time under another reference; null for a card that was typed on our page';
comment on column payment_attempts.url is 'The provider''s page';
comment on column payment_attempts.ends_at is 'Until when the payer is sent to that page; money that comes later is booked all the same';
comment on column payment_attempts.channel is 'How the payer has paid there';
comment on column payment_attempts.confirming is 'Whether the provider says that a bank is at work';
comment on column payment_attempts.asked_at is 'When the provider was asked last because its payer came back';
drop index payment_attempts_one_open;
create unique index payment_attempts_one_open on payment_attempts (business_id, livemode, payment_id)
  where status in ('processing', 'challenge', 'away');
