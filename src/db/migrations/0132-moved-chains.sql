-- Of a business that was split off, what its chain of live mode has in the proofs of days stays when its seals are deleted: so that a chain that somebody
-- has thrown away is told from one that is in another cell.
-- Understood by servers from 0096 on: of what those delete, nothing is kept, and so many chains may be missing as before.
create table moved_chains (
  business_id object_id not null references businesses,
  day date not null,
  leaf bytea not null,
  primary key (business_id, day)
);
comment on table moved_chains is 'What the live chain of a business that is in another cell now has in the proof of each day here. Append-only.';
create index moved_chains_by_day on moved_chains (day);
create trigger moved_chains_append_only before update or delete or truncate on moved_chains
  for each statement execute function refuse_change();

alter table cell_moves add column chains_kept_at timestamptz(3);
comment on column cell_moves.chains_kept_at is
  'When moved_chains had got all of the business, before its seals were deleted; null: they are here still, or were deleted by a server that kept nothing';
