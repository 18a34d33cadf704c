-- Lists say how many rows they have, and find rare ones, without a scan. Each statement that changes a list appends what it
-- changed to list_changes, in its own transaction: nobody waits, and the counts are exact at each commit. A chore
-- folds those rows into list_counts. A row counts to its business, its day, and the values that lists can be filtered by.

create table list_counts (
  business_id object_id not null,
  livemode boolean not null,
  list text not null,
  day date not null,
  facets jsonb not null,
  rows bigint not null,
  primary key (business_id, livemode, list, day, facets)
);
comment on table list_counts is 'How many rows a list has, as far as list_changes was folded into it.';
comment on column list_counts.list is 'The table whose rows are counted';
comment on column list_counts.day is 'The day, in UTC, on which they were created; infinity: those of all days';
comment on column list_counts.facets is 'The values of columns that the rows have in common';

create table list_changes (
  business_id object_id not null,
  livemode boolean not null,
  list text not null,
  day date not null,
  facets jsonb not null,
  change bigint not null
) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1);
comment on table list_changes is 'What statements have changed of the counts, and what list_counts does not hold yet.';
create index list_changes_of_list on list_changes (business_id, livemode, list);
-- It has no key, and logical replication must name the rows that are folded away.
alter table list_changes replica identity full;

create function day_of(moment timestamptz) returns date immutable language sql as
  $$ select (moment at time zone 'utc')::date $$;
comment on function day_of is 'The day of a moment, in UTC';

create function count_list(list text, facets text[], counted text default 'true') returns void language plpgsql as $make$
declare
  key text := array_to_string(array['business_id', 'livemode', 'day_of(created_at)'] || facets, ', ');
  object text := (select 'jsonb_build_object(' || coalesce(string_agg(format('%L, %I', f, f), ', '), '') || ')'
                    from unnest(facets) f);
begin
  execute format($f$
    create function %1$I() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        insert into list_changes (business_id, livemode, list, day, facets, change)
        select business_id, livemode, %2$L, day_of(created_at), %3$s, count(*)
          from added where %4$s group by %5$s;
      elsif tg_op = 'DELETE' then
        insert into list_changes (business_id, livemode, list, day, facets, change)
        select business_id, livemode, %2$L, day_of(created_at), %3$s, -count(*)
          from removed where %4$s group by %5$s;
      else
        insert into list_changes (business_id, livemode, list, day, facets, change)
        select business_id, livemode, %2$L, day_of(created_at), %3$s, sum(change)
          from (select *, 1 as change from added union all select *, -1 from removed) changed
         where %4$s group by %5$s having sum(change) <> 0;
      end if;
      return null;
    end $body$$f$, 'count_' || list, list, object, counted, key);
  execute format('create trigger %I after insert on %I referencing new table as added
                    for each statement execute function %I()', list || '_added', list, 'count_' || list);
  execute format('create trigger %I after update on %I referencing old table as removed new table as added
                    for each statement execute function %I()', list || '_changed', list, 'count_' || list);
  execute format('create trigger %I after delete on %I referencing old table as removed
                    for each statement execute function %I()', list || '_removed', list, 'count_' || list);
  execute format($f$
    insert into list_counts (business_id, livemode, list, day, facets, rows)
    select business_id, livemode, %1$L, coalesce(day, 'infinity'), facets, count(*)
      from (select business_id, livemode, day_of(created_at) as day, %2$s as facets from %1$I where %3$s) listed
     group by grouping sets ((business_id, livemode, day, facets), (business_id, livemode, facets))$f$,
    list, object, counted);
end $make$;
comment on function count_list is 'Counts a table from now on, and what it holds already';

select count_list('transactions', '{currency,direction,method,status,type}');
select count_list('payouts', '{currency,method,status}');
select count_list('payments', '{currency,method,status}');
select count_list('refunds', '{status}');
select count_list('customers', '{}', 'deleted_at is null');
select count_list('virtual_accounts', '{currency,status}');
select count_list('invoices', '{currency,status}');
select count_list('events', '{type}');
select count_list('webhook_deliveries', '{status,type}');

-- The newest rows of each combination of facets: a list of rare ones is merged from these instead of walked to. Long texts
-- would double the size of the entries, so several facets are one hash.

create index transactions_newest_alike on transactions (business_id, livemode,
  hashtext(currency || '/' || direction || '/' || method || '/' || status || '/' || type), created_at desc, id desc);
create index payouts_newest_alike on payouts (business_id, livemode,
  hashtext(currency || '/' || method || '/' || status), created_at desc, id desc);
create index payments_newest_alike on payments (business_id, livemode,
  hashtext(currency || '/' || coalesce(method, '') || '/' || status), created_at desc, id desc);
create index webhook_deliveries_newest_alike on webhook_deliveries (business_id, livemode,
  hashtext(status || '/' || type), created_at desc, id desc);
create index virtual_accounts_newest_alike on virtual_accounts (business_id, livemode,
  hashtext(currency || '/' || status), created_at desc, id desc);
create index invoices_newest_alike on invoices (business_id, livemode,
  hashtext(currency || '/' || status), created_at desc, id desc);
create index refunds_newest_alike on refunds (business_id, livemode, status, created_at desc, id desc);
