-- Keys that can be changed: which ones a database has things sealed under, and answers that say themselves which request they are of.

create table sealing_keys (
  key_id text primary key check (key_id ~ '^[0-9a-f]{16}$'),
  used_at timestamptz(3) not null
);
comment on table sealing_keys is 'Keys that something may be sealed under: a server that lacks one of them does not start.';
comment on column sealing_keys.key_id is 'Derived from the key, and tells nothing of it; stands in front of everything that it seals';
comment on column sealing_keys.used_at is 'When a server last started to seal under it';

alter table idempotency_keys alter column request_hash drop not null;
comment on column idempotency_keys.request_hash is 'Of answers kept before 0014: HMAC of the request. Since then its hash is sealed with the answer';
