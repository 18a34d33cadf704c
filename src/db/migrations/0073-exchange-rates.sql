-- Official exchange rates as they were fetched, for pairs of which the operator's table says that they are official.

create table exchange_rates (
  id object_id primary key,
  pair text not null check (pair in ('usd_ngn')),
  rate text not null check (rate ~ '^[0-9]{1,9}(\.[0-9]{1,12})?$'),
  published_on date not null,
  first_fetched_at timestamptz(3) not null,
  fetched_at timestamptz(3) not null,
  status text not null check (status in ('good', 'suspect', 'refused')),
  decided_by text,
  unique (pair, published_on, rate),
  check (status <> 'refused' or decided_by is not null)
);
comment on table exchange_rates is 'Official rates as they were fetched: each once, with when it was fetched last.';
comment on column exchange_rates.rate is 'What one unit of the first currency is in the second, as its source wrote it';
comment on column exchange_rates.published_on is 'The day that its source says it is of';
comment on column exchange_rates.status is 'suspect: it has moved further than a rate may without a person; it is used once a person accepts it';
comment on column exchange_rates.decided_by is 'Who has accepted or refused it';

alter table conversion_quotes add column rate_fetched_at timestamptz(3), add column rate_valid_until timestamptz(3);
comment on column conversion_quotes.rate_source is 'Where the rate comes from; table: the operator''s; official: a central bank''s';
comment on column conversion_quotes.rate_fetched_at is 'When an official rate was fetched';
comment on column conversion_quotes.rate_valid_until is 'Until when an official rate was to be used';
alter table conversions add column rate_fetched_at timestamptz(3), add column rate_valid_until timestamptz(3);
