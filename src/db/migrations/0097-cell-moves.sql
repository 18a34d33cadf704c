-- A cell, or one business of it, moves to another database while it works (`src/db/moves.ts`). Triggers that the move puts on what is moved let it write until the
-- switch, have it wait for the length of that, and refuse it afterwards: what is written here from then on would be lost.
-- Understood by servers from 0096 on.

create table cell_moves (
  subject text primary key,
  letter text not null check (letter ~ '^[a-z]$'),
  started_at timestamptz(3) not null,
  moved_at timestamptz(3)
);
comment on table cell_moves is 'What moves to another database, or has';
comment on column cell_moves.subject is 'The business; empty: all of the cell';
comment on column cell_moves.letter is 'The cell that it is in afterwards';
comment on column cell_moves.moved_at is 'From then on the other database has it, and this one writes nothing of it';

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
-- PostgreSQL's filters of publications know no domains, so what does not go is left out where it arrives.
create function leave_out() returns trigger language plpgsql as 'begin return null; end';
comment on function leave_out is 'A trigger of a database that something moves to: rows that do not go are not written';

comment on function guard_moved is 'A trigger of what moves to another database: `tg_argv[0]` is the subject in `cell_moves`';
