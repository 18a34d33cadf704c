-- What came and went by day, at any number of transactions: the changes that are appended for the counts carry the amounts too. A day is one of
-- the business's time zone, and every zone is off UTC by whole quarters of an hour, so the sums are kept by quarter.

alter table list_changes add column quarter timestamptz(0), add column amount bigint;
comment on column list_changes.quarter is 'Of transactions: the quarter of an hour in which they were created';
comment on column list_changes.amount is 'Of transactions: by how much their wallets changed by them';

create table transaction_sums (
  business_id object_id not null,
  livemode boolean not null,
  quarter timestamptz(0) not null,
  currency text not null,
  direction text not null,
  amount bigint not null,
  primary key (business_id, livemode, quarter, currency, direction)
);
comment on table transaction_sums is 'What completed transactions brought to wallets and took from them, as far as list_changes was folded into it.';
comment on column transaction_sums.quarter is 'The quarter of an hour in which the transactions were created';
comment on column transaction_sums.amount is 'What came after its fee, or what went with its fee; minor units';

create function quarter_of(moment timestamptz) returns timestamptz immutable language sql as
  $$ select date_bin('15 minutes', moment, timestamptz '2000-01-01T00:00:00Z') $$;
comment on function quarter_of is 'When the quarter of an hour began that a moment is in';

-- As count_list makes it, and with amounts.
create or replace function count_transactions() returns trigger language plpgsql as $body$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           count(*), sum(case direction when 'credit' then amount - fee else amount end)
      from added
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type;
  elsif tg_op = 'DELETE' then
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           -count(*), -sum(case direction when 'credit' then amount - fee else amount end)
      from removed
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type;
  else
    insert into list_changes (business_id, livemode, list, day, quarter, facets, change, amount)
    select business_id, livemode, 'transactions', day_of(created_at), quarter_of(created_at),
           jsonb_build_object('currency', currency, 'direction', direction, 'method', method, 'status', status, 'type', type),
           sum(change), sum(change * (case direction when 'credit' then amount - fee else amount end))
      from (select *, 1 as change from added union all select *, -1 from removed) changed
     group by business_id, livemode, day_of(created_at), quarter_of(created_at), currency, direction, method, status, type
    having sum(change) <> 0 or sum(change * (case direction when 'credit' then amount - fee else amount end)) <> 0;
  end if;
  return null;
end $body$;

insert into transaction_sums (business_id, livemode, quarter, currency, direction, amount)
select business_id, livemode, quarter_of(created_at), currency, direction,
       sum(case direction when 'credit' then amount - fee else amount end)
  from transactions where status = 'completed' group by 1, 2, 3, 4, 5;

-- Few payments are paid otherwise than they were due, and somebody looks at those.
create index payments_varied on payments (business_id, livemode, created_at desc, id desc) where variance <> 'exact';
