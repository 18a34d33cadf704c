-- What a period brought, and what a month opened with, at any number of postings: what crossed the borders of wallets and of fees is summed
-- by quarters of an hour, of which every time zone's days are made, and by days in UTC, of which the years since a month are.
-- Nothing is written for it where money moves: a periodic task reads the postings since it last did. Each says of which
-- transaction it is, as events do, so that the task knows below which none can appear any more.

alter table ledger_postings add column position bigint;
comment on column ledger_postings.position is
  'Its transaction''s place, as that of an event. Below event_horizon() no posting can appear any more. Null of those before 0051';

create table posting_sums (
  business_id object_id not null,
  livemode boolean not null,
  span text not null check (span in ('quarter', 'day')),
  begins_at timestamptz(0) not null,
  currency text not null,
  kind text not null,
  method text not null,
  held smallint not null,
  charged smallint not null,
  amount bigint not null,
  count bigint not null,
  primary key (business_id, livemode, span, begins_at, currency, kind, method, held, charged)
);
comment on table posting_sums is 'What postings brought to wallets and to fees and took from them, of those before folded_postings.position.';
comment on column posting_sums.begins_at is 'The quarter of an hour, or the day in UTC, in which they were posted';
comment on column posting_sums.method is 'Of their transactions; empty where there is none';
comment on column posting_sums.held is '1: the amount came to a wallet, -1: it left one; 0: neither, or both';
comment on column posting_sums.charged is 'The same of the fees that were paid';
comment on column posting_sums.amount is 'Minor units';

create table folded_postings (
  one boolean primary key default true check (one),
  position bigint not null
);
comment on table folded_postings is 'One row. Postings of lower positions are in posting_sums; others are read themselves.';

-- Nobody posts meanwhile: the column is added under a lock. Who does afterwards has a number that is not below that of the oldest who writes now.
insert into folded_postings (position) select event_horizon();

-- Postings come nearly in the order of their positions, so that a summary of each range of pages is enough.
create index ledger_postings_by_position on ledger_postings using brin (business_id, position)
  with (pages_per_range = 32, autosummarize = on);

do $migration$
begin
  execute format('alter table ledger_postings alter column position set default (pg_current_xact_id()::text::bigint + %s)',
                 (select base from event_positions));
  execute format($create$
    create or replace function keep_event_positions() returns void language plpgsql
      security definer set search_path = pg_catalog, pg_temp as $body$
    declare
      highest bigint;
      next bigint;
    begin
      -- Of several servers that start, one at a time.
      perform from %1$I.event_positions for update;
      select greatest((select max(position) from %1$I.events), (select max(position) from %1$I.event_resends),
                      (select position from %1$I.folded_postings),
                      (select max(position) from %1$I.ledger_postings where position >= (select position from %1$I.folded_postings)))
        into highest;
      select base + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from %1$I.event_positions into next;
      if highest >= next then
        update %1$I.event_positions set base = base + highest + 1 - next;
        execute format('alter table %1$I.events alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                       (select base from %1$I.event_positions));
        execute format('alter table %1$I.ledger_postings alter column position set default (pg_current_xact_id()::text::bigint + %%s)',
                       (select base from %1$I.event_positions));
      end if;
    end $body$
  $create$, current_schema());
end $migration$;

insert into posting_sums (business_id, livemode, span, begins_at, currency, kind, method, held, charged, amount, count)
select business_id, livemode, span, case span when 'quarter' then quarter else date_trunc('day', quarter, 'UTC') end,
       currency, kind, method, held, charged, sum(amount), sum(count)
  from (select p.business_id, p.livemode, quarter_of(p.posted_at) as quarter, p.currency, p.kind, coalesce(t.method, '') as method,
               (c.purpose like 'wallet_%')::integer - (d.purpose like 'wallet_%')::integer as held,
               (c.purpose = 'fees')::integer - (d.purpose = 'fees')::integer as charged, sum(p.amount) as amount, count(*) as count
          from ledger_postings p
          join ledger_accounts c on c.business_id = p.business_id and c.livemode = p.livemode and c.id = p.credit_account
          join ledger_accounts d on d.business_id = p.business_id and d.livemode = p.livemode and d.id = p.debit_account
          left join transactions t on t.business_id = p.business_id and t.livemode = p.livemode and t.id = p.transaction_id
         group by 1, 2, 3, 4, 5, 6, 7, 8) summed
 cross join (values ('quarter'), ('day')) as of (span)
 where held <> 0 or charged <> 0
 group by 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- Until they are looked at, PostgreSQL takes a third of all postings for new.
analyze ledger_postings (position);
analyze posting_sums;
