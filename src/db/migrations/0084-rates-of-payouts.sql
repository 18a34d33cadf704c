-- Quotes of payouts say where their rate comes from, and limits of the exchange position hold payouts too, whatever the currency.

alter table payout_quotes
  add column rate_source text not null default 'table',
  add column rate_fetched_at timestamptz(3),
  add column rate_valid_until timestamptz(3);
comment on column payout_quotes.rate_source is 'Where the rate comes from; table: the operator''s; official: a central bank''s';
comment on column payout_quotes.rate_fetched_at is 'When an official rate was fetched';
comment on column payout_quotes.rate_valid_until is 'Until when an official rate was to be used';

alter table exchange_limits drop constraint exchange_limits_currency_check;
alter table exchange_limits add constraint exchange_limits_currency_check check (currency in ('ngn', 'usd', 'usdc', 'usdt'));
comment on table exchange_limits is 'How much of a currency exchanges may leave the installation short of, in all. Locked by each conversion and each payout into it; none: as much as is asked for.';

-- What payouts under way will take of a position: as many rows as are under way.
create index payouts_exchanging on payouts (livemode, destination_currency) include (destination_amount)
  where destination_currency <> currency and status in ('pending', 'processing');
