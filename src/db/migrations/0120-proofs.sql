-- Committed postings are sealed in order, a row for a batch: chains of hashes by business and mode, and for each day a root over all
-- of them, which is signed. Who changes an old posting changes what was published. Nothing is written for it where money moves.
-- Understood by servers from 0096 on.

create table posting_seals (
  business_id object_id not null references businesses,
  livemode boolean not null,
  day date not null,
  number bigint not null,
  through_position bigint not null,
  through_id bigint not null,
  postings integer not null check (postings > 0),
  root bytea not null,
  previous bytea not null,
  hash bytea not null,
  leaves bytea not null,
  sealed_at timestamptz(3) not null,
  primary key (business_id, livemode, day, number)
);
comment on table posting_seals is 'Postings of a business and mode that were sealed together, each chained to the one before. Append-only.';
comment on column posting_seals.day is 'The day in UTC whose proof it is in';
comment on column posting_seals.number is 'From 1 on; from 1 again once test data were emptied';
comment on column posting_seals.through_position is 'Of its last posting, and through_id its id: 0 for a posting of before 0051. Postings are sealed in this order';
comment on column posting_seals.root is 'Of the Merkle tree over the hashed forms of its postings';
comment on column posting_seals.previous is 'The hash of the seal before; zeros of the first';
comment on column posting_seals.leaves is
  'Of each posting its id, 8 bytes, and its leaf, 32: by these it is known which one was changed, and by the root that one was';
create index posting_seals_by_posting on posting_seals (business_id, livemode, through_position, through_id);
create index posting_seals_by_day on posting_seals using brin (business_id, day) with (pages_per_range = 8, autosummarize = on);

create trigger posting_seals_append_only before update or truncate on posting_seals
  for each statement execute function refuse_change();
create trigger posting_seals_stay before delete on posting_seals for each statement execute function refuse_removal();
create trigger posting_seals_stay_each before delete on posting_seals for each row execute function refuse_removal();

create table seal_salts (
  business_id object_id not null references businesses,
  livemode boolean not null,
  salt bytea not null,
  primary key (business_id, livemode)
);
comment on table seal_salts is 'What keeps hashes from being guessed: who has a receipt learns nothing of other postings, nor of other businesses.';
create trigger seal_salts_append_only before update or delete or truncate on seal_salts
  for each statement execute function refuse_change();

create table sealed_postings (
  one boolean primary key default true check (one),
  position bigint not null,
  old_after bigint not null,
  old_until bigint not null,
  day date
);
comment on table sealed_postings is 'One row. Postings of lower positions are sealed.';
comment on column sealed_postings.old_after is 'Postings of before 0051 are sealed up to this id; the last has old_until, and they come first';
comment on column sealed_postings.day is 'What is sealed goes into the proof of this day; those of the days before are made';
create table proof_keys (
  id text primary key,
  public_key bytea not null
);
comment on table proof_keys is 'Ed25519 keys that proofs were signed with: the 32 bytes of the public key, and what it is called.';
create trigger proof_keys_append_only before update or delete or truncate on proof_keys
  for each statement execute function refuse_change();

create table proofs (
  day date primary key,
  cell text not null,
  root bytea not null,
  previous bytea not null,
  live_leaves bytea not null,
  test_leaves bytea not null,
  made_at timestamptz(3) not null,
  key_id text references proof_keys,
  signature bytea
);
comment on table proofs is 'The root of a day in UTC, over the chains of all businesses of which something was sealed.';
comment on column proofs.previous is 'The hash of what the proof of the day before says; zeros of the first';
comment on column proofs.live_leaves is 'Sorted, 32 bytes each: they name no business, and stay when test data are emptied';
comment on column proofs.signature is 'Null until there is a PROOF_KEY';
create trigger proofs_append_only before delete or truncate or update of day, cell, root, previous, live_leaves, test_leaves, made_at
  on proofs for each statement execute function refuse_change();
create trigger proofs_signed_once before update on proofs
  for each row when (old.signature is not null) execute function refuse_change();

-- Seals before postings. Whatever else the list has by now stays in it.
do $migration$
begin
  execute format('create or replace function test_data_tables() returns text[] language sql immutable as %L',
                 format('select %L::text[]', array_prepend('posting_seals', test_data_tables())));
end $migration$;
