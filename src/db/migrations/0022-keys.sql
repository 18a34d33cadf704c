-- Keys may do less than everything, and end; who changed what is kept for ever, and which requests came for a while.

alter table api_keys
  add column scopes text[] not null default '{read,collect,payout,refund,manage}',
  add column lifetime_ms bigint,
  add column last_used_at timestamptz(3),
  add column last_used_from text,
  add constraint api_keys_scopes check (cardinality(scopes) > 0
    and scopes <@ '{read,collect,payout,refund,manage,approve}' and not scopes @> '{approve,payout}'),
  add constraint api_keys_lifetime check (lifetime_ms > 0);
-- Keys that were there could do everything; one that is made says what it may do.
alter table api_keys alter column scopes drop default;
comment on column api_keys.scopes is 'What it may do. Who approves payouts cannot create them';
comment on column api_keys.expires_at is 'When it stops working: the end of its lifetime, or of the overlap after a roll';
comment on column api_keys.lifetime_ms is 'How long it was made to work; null: until it is revoked. A roll gives its successor as long';
comment on column api_keys.last_used_at is 'The latest use, a minute late at most';
comment on column api_keys.last_used_from is 'The address of that use';

-- The audit log ------------------------------------------------------------------------------------------------------

create table audit_log (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  action text not null,
  subject object_id not null,
  actor_type text not null check (actor_type in ('key', 'operator')),
  actor_id object_id,
  actor_hint text,
  address text,
  before jsonb,
  after jsonb,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  check ((actor_type = 'key') = (actor_id is not null))
);
comment on table audit_log is 'Append-only. Who changed what of the settings that money and access depend on, written in the transaction of the change.';
comment on column audit_log.subject is 'What was changed: the id of a key, or of a webhook endpoint';
comment on column audit_log.actor_type is 'operator: a command on the server''s machine';
comment on column audit_log.address is 'Where the request came from; null for commands';
comment on column audit_log.before is 'What the change replaced; null: it made something. Never a secret';
comment on column audit_log.created_at is 'In the machine''s time, in test mode too: a test clock moves what happens, not who did it when';
create index audit_log_newest_alike on audit_log (business_id, livemode, action, id desc);
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
select count_list('audit_log', '{action}');

-- Requests -----------------------------------------------------------------------------------------------------------

create unlogged table requests (
  business_id object_id not null,
  livemode boolean not null,
  id object_id not null,
  method text not null,
  path text not null,
  status integer not null,
  code text,
  key_id object_id not null,
  address text not null,
  ms double precision not null,
  body text,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, id)
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table requests is 'What was asked with a valid key, for REQUESTS_KEEP. Unlogged: a crash of PostgreSQL forgets it, and no payment waits for it.';
comment on column requests.id is 'The request id: that of its X-Request-Id and of its line in the log. Made when the request came, at created_at';
comment on column requests.path is 'As it was asked for, without its query';
comment on column requests.body is 'Of refusals in test mode: the body, masked, its first 2 KiB';
create index requests_refused on requests (business_id, livemode, id) where status >= 400;
create index requests_oldest on requests (created_at);
