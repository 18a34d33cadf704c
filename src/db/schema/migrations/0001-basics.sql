-- What every other table needs: the functions that refuse changes, counts of lists, timers, idempotency and rate limits; and what an installation knows of itself.
-- Every key of the data of a business begins with (business_id, livemode): tenants and modes cannot meet in a statement that names them, and the tables can be
-- sharded by business. Privileges are not part of the migrations: `src/db/schema/roles.ts` grants them after each.

-- Types and times ----------------------------------------------------------------------------------------------------
create domain object_id as text collate "C";
comment on domain object_id is '24 lower-case hex digits, time-ordered';
create function day_of(moment timestamptz) returns date immutable language sql as $$ select (moment at time zone 'utc')::date $$;
comment on function day_of is 'The day of a moment, in UTC';
create function quarter_of(moment timestamptz) returns timestamptz immutable language sql as $$ select date_bin('15 minutes', moment, timestamptz '2000-01-01T00:00:00Z') $$;
comment on function quarter_of is 'When the quarter of an hour began that a moment is in';
create function ids_from(at timestamptz) returns text immutable language sql as $$ select lpad(to_hex(floor(extract(epoch from at))::bigint), 8, '0') || repeat('0', 16) $$;
comment on function ids_from is 'What parts ids by a time, in whole seconds: none of that time or later is before it';
create function ids_begin(id text) returns timestamptz immutable language sql as $$ select to_timestamp(('x' || left(id, 8))::bit(32)::bigint) $$;
comment on function ids_begin is 'The second that an id was made at';

-- Refused changes ----------------------------------------------------------------------------------------------------
-- The serving role may not update or delete what a trigger refuses by a function named `refuse_…`.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- The server writes its requests, and the owner alone how far they have come.
create function refuse_to_servers() returns trigger language plpgsql as $body$
begin
  if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid) then return null; end if;
  raise exception '% is written by the owner alone', tg_table_name using errcode = 'insufficient_privilege';
end $body$;

-- Counts of lists ----------------------------------------------------------------------------------------------------
-- Lists say how many rows they have, and find rare ones, without a scan. Each statement that changes a list appends the change to list_changes in its own transaction:
-- nobody waits, and the counts are exact at each commit. A periodic task folds those rows into list_counts. A row counts to its business, its day, and the values by which
-- lists are filtered.

create table list_counts (
  business_id object_id not null, livemode boolean not null, list text not null, day date not null, facets jsonb not null, rows bigint not null,
  primary key (business_id, livemode, list, day, facets));
comment on table list_counts is 'How many rows a list has, as far as list_changes was folded into it.';
comment on column list_counts.list is 'The table whose rows are counted';
comment on column list_counts.day is 'The day, in UTC, on which they were created; infinity: those of all days';
comment on column list_counts.facets is 'The values of columns that the rows have in common';

create table list_changes (
  business_id object_id not null, livemode boolean not null, list text not null, day date not null, facets jsonb not null, change bigint not null,
  quarter timestamptz(0), amount bigint) with (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_insert_threshold = -1);
comment on table list_changes is 'What statements have changed of the counts, and what list_counts does not hold yet.';
comment on column list_changes.quarter is 'Of transactions: the quarter of an hour in which they were created';
comment on column list_changes.amount is 'Of transactions: by how much their wallets changed by them';
create index list_changes_of_list on list_changes (business_id, livemode, list);
-- It has no key, and logical replication must name the rows that are folded away.
alter table list_changes replica identity full;

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

-- Timers and idempotency ---------------------------------------------------------------------------------------------
-- The key begins with the subject, by which the timeline of a record finds its timers.
create table timers (
  business_id object_id not null, livemode boolean not null, id object_id not null, due_at timestamptz(3), task text not null, subject object_id not null,
  payload jsonb not null, primary key (business_id, livemode, subject, id));
comment on table timers is 'Everything that is to be done, at once or later. A row is deleted in the statement that queues its job.';
comment on column timers.due_at is 'Null: as soon as it is committed. Else in the time of the business and mode: a test clock that moves makes it due';
create index timers_immediate on timers (id) where due_at is null;
create index timers_due on timers (due_at) where due_at is not null;
create index timers_of_business on timers (business_id, livemode, due_at) where due_at is not null;

create table idempotency_keys (
  business_id object_id not null, livemode boolean not null, key text not null, status integer, body bytea, created_at timestamptz(3) not null,
  primary key (business_id, livemode, key));
comment on table idempotency_keys is 'Answers given to requests that carried an Idempotency-Key, kept for 24 hours.';
comment on column idempotency_keys.body is 'The hash of the request and the answer, sealed with SECRETS_KEY: the answer may hold a secret that is shown once';
create index idempotency_keys_oldest on idempotency_keys (created_at);

create unlogged table rate_limits (
  key text primary key, used bigint not null, granted integer not null, resets_at timestamptz(3) not null) with (fillfactor = 50);
comment on table rate_limits is 'Requests by address in its current window. Unlogged: a crash of PostgreSQL forgets the counts.';
comment on column rate_limits.used is 'What was given out to processes, whether they have used it yet or not; never more than the limit';
comment on column rate_limits.granted is 'What the latest statement to ask was given of what it wanted';
create index rate_limits_oldest on rate_limits (resets_at);

create unlogged table requests (
  business_id object_id not null, livemode boolean not null, id object_id not null, method text not null, path text not null, status integer not null, code text,
  key_id object_id not null, address text not null, ms double precision not null, body text, created_at timestamptz(3) not null, subject object_id,
  idempotency_key text, primary key (business_id, livemode, id)) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table requests is 'What was asked with a valid key, for REQUESTS_KEEP. Unlogged: a crash of PostgreSQL forgets it, and no payment waits for it.';
comment on column requests.id is 'The request id: that of its X-Request-Id and of its line in the log. Made when the request came, at created_at';
comment on column requests.path is 'As it was asked for, without its query';
comment on column requests.body is 'Of refusals in test mode: the body, masked, its first 2 KiB';
comment on column requests.subject is 'The record that its answer is; null where that has no id, and of what was refused';
comment on column requests.idempotency_key is 'The Idempotency-Key that it came with';
create index requests_refused on requests (business_id, livemode, id) where status >= 400;
create index requests_oldest on requests (created_at);
create index requests_of_subject on requests (business_id, livemode, subject, id) where subject is not null;

-- The installation ---------------------------------------------------------------------------------------------------
create table sealing_keys (
  key_id text primary key check (key_id ~ '^[0-9a-f]{16}$'), used_at timestamptz(3) not null);
comment on table sealing_keys is 'Keys that something may be sealed under: a server that lacks one of them does not start.';
comment on column sealing_keys.key_id is 'Derived from the key, and tells nothing of it; stands in front of everything that it seals';
comment on column sealing_keys.used_at is 'When a server last started to seal under it';

-- After a restore, what was sent since the backup is not in these tables. So nothing is sent until a person releases the hold.
create table outgoing_holds (
  id object_id primary key, reason text not null check (reason in ('restored', 'operator')), data_of timestamptz(3) check (data_of is null or reason = 'restored'),
  placed_at timestamptz(3) not null, released_at timestamptz(3), released_by text,
  check ((released_at is null) = (released_by is null)));
comment on table outgoing_holds is 'While one is open, no order to pay is sent to a rail outside. The installation''s: it belongs to no business.';
comment on column outgoing_holds.data_of is 'Until when the restored data reach: what was committed before is there. Null where nobody knows';

-- `bursar doctor` reads these.
create table backups (
  data_of timestamptz(3) primary key, dir text not null, bytes bigint not null, made_at timestamptz(3) not null, tried_at timestamptz(3), clean boolean);
comment on table backups is 'One row per `bursar backup` of the embedded database: of the installation, and of no business.';
comment on column backups.data_of is 'All that was committed before this is in it; its manifest has the same, which tells it from others';
comment on column backups.dir is 'Where it was written to';
comment on column backups.tried_at is 'When `bursar restore --drill` last restored it';
comment on column backups.clean is 'Whether its books were clean then; null until it is tried';

-- Keys and slugs that were made here name the cell, so it never changes.
create table own_cell (
  only_one boolean primary key default true check (only_one), letter text not null check (letter ~ '^[a-z]$'));
comment on table own_cell is 'The letter of the cell that this database is, written down by its first server';

-- A cell, or one business of it, moves to another database while it works (`src/db/moves/moves.ts`). Triggers on the moved tables admit writes until the switch, block them
-- during it, and refuse them afterwards: later writes here would be lost.
create table cell_moves (
  subject text primary key, letter text not null check (letter ~ '^[a-z]$'), started_at timestamptz(3) not null, moved_at timestamptz(3),
  chains_kept_at timestamptz(3));
comment on table cell_moves is 'What moves to another database, or has';
comment on column cell_moves.subject is 'The business; empty: all of the cell';
comment on column cell_moves.letter is 'The cell that it is in afterwards';
comment on column cell_moves.moved_at is 'From then on the other database has it, and this one writes nothing of it';
comment on column cell_moves.chains_kept_at is 'When moved_chains had got all of the business, before its seals were deleted; null: they are here still, or were deleted by a server that kept nothing';

-- Whoever writes holds the subject until his transaction ends; the switch waits for them, and they for it. The move itself says who it is.
create function guard_moved() returns trigger language plpgsql as $body$
declare
  cell text;
begin
  if coalesce(current_setting('bursar.moves', true), '') <> 'on' then
    perform pg_advisory_xact_lock_shared(1701671030, hashtext(tg_argv[0]));
    select letter into cell from cell_moves where subject = tg_argv[0] and moved_at is not null;
    if cell is not null then
      raise exception 'this is in another database now' using errcode = 'BU002', detail = cell;
    end if;
  end if;
  if tg_level = 'STATEMENT' then return null; end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $body$;
comment on function guard_moved is 'A trigger of what moves to another database: `tg_argv[0]` is the subject in `cell_moves`';

-- PostgreSQL's filters of publications know no domains, so what does not go is left out where it arrives.
create function leave_out() returns trigger language plpgsql as 'begin return null; end';
comment on function leave_out is 'A trigger of a database that something moves to: rows that do not go are not written';
