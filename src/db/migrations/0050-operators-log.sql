-- Runs of `ledger verify` that were asked for at a running server: how far each is, and what it found.
create table ledger_verifications (
  id object_id primary key,
  status text not null check (status in ('waiting', 'running', 'clean', 'differs', 'unfinished')),
  checks integer not null check (checks > 0),
  checks_done integer not null default 0 check (checks_done between 0 and checks),
  doing text,
  accounts bigint,
  postings bigint,
  differences jsonb not null default '[]',
  differences_count bigint not null default 0,
  made_by text,
  created_at timestamptz(3) not null,
  began_at timestamptz(3),
  ended_at timestamptz(3),
  check ((ended_at is null) = (status in ('waiting', 'running')))
);
comment on table ledger_verifications is 'Verifications of the ledger that the operator has started; any process shows how far one is.';
comment on column ledger_verifications.status is 'unfinished: it ended without a result, because its process did, or it broke';
comment on column ledger_verifications.checks_done is 'How many of its checks are done';
comment on column ledger_verifications.doing is 'The check that is under way, in words';
comment on column ledger_verifications.differences is 'The first of what was found to differ; differences_count has how many there are';
comment on column ledger_verifications.made_by is 'The person, or the operator''s key by its hint';
create unique index ledger_verifications_one on ledger_verifications ((true)) where ended_at is null;

-- What the operator does to businesses stands in the audit log of the installation too: what was done before, as it stands in theirs.
insert into audit_log (business_id, livemode, id, action, subject, actor_type, actor_id, actor_hint, address, before, after, created_at)
select '000000000000000000000001', true, id, action, subject, actor_type, actor_id, actor_hint, address, before, after, created_at
  from audit_log
 where action in ('business.created', 'business.status_changed', 'business.plan_changed', 'business.limits_changed', 'incident.closed')
   and business_id <> '000000000000000000000001'
 order by id
on conflict do nothing;
