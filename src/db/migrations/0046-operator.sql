-- What the operator does with businesses, and the keys by which a platform does it.

alter table businesses
  add column status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
  add column status_reason text,
  add column status_at timestamptz(3),
  add constraint businesses_status check ((status_at is null) <= (status = 'active'));
comment on column businesses.status is 'Suspended or closed: nothing new is collected or paid out; what is under way ends, and money that comes is booked';
comment on column businesses.status_reason is 'Why, as the business is shown it';
comment on column businesses.status_at is 'When the status last changed; null: it never did';

create table operator_keys (
  id object_id primary key,
  key_hash bytea not null unique,
  hint text not null,
  name text not null,
  made_by text,
  created_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  last_used_from text
);
comment on table operator_keys is 'Keys of the operator, for /operator alone: they are of no business.';
comment on column operator_keys.key_hash is 'SHA-256 of the key, which is random: the key itself is stored nowhere';
comment on column operator_keys.made_by is 'The person who made it; null: a command';

-- The operator may act by a key: then it is said by which, as of every key.
alter table audit_log
  drop constraint audit_log_actor,
  add constraint audit_log_actor check (actor_type = 'operator' or actor_id is not null);
comment on column audit_log.actor_type is 'key: a request with it; person: by the dashboard; operator: a key of the operator, or a command on the server''s machine, which has no id';
