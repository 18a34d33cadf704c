-- What payment providers notify of: kept before it is answered, and applied by a job that asks the provider.

create table provider_events (
  livemode boolean not null,
  rail text not null,
  key text not null,
  id object_id not null unique,
  type text not null,
  kind text not null,
  reference text,
  provider_id text,
  body bytea,
  received_at timestamptz(3) not null,
  deliveries integer not null default 1,
  tries integer not null default 0,
  business_id object_id,
  subject object_id,
  outcome text check (outcome in ('applied', 'nothing_to_do', 'unknown_subject', 'quarantined')),
  ended_at timestamptz(3),
  primary key (livemode, rail, key),
  check ((outcome is null) = (ended_at is null))
);
comment on table provider_events is 'Webhooks of providers. Only what they are about is believed: an amount or a status comes from the provider when it is asked.';
comment on column provider_events.rail is 'The name of the account at the provider';
comment on column provider_events.key is 'What tells two deliveries of one event from two events, by the provider''s reader';
comment on column provider_events.type is 'The provider''s name of the event';
comment on column provider_events.kind is 'What kind of record it is about; other: none of ours';
comment on column provider_events.body is 'As it came, sealed: it may name people. Null once it is applied, which needs no body';
comment on column provider_events.tries is 'How often it was tried to apply, and is tried again';
comment on column provider_events.subject is 'The record that it was about, once that is known';
comment on column provider_events.outcome is 'Null: it is still to be applied';
create index provider_events_unapplied on provider_events (livemode, rail, received_at) where outcome is null;
create index provider_events_newest on provider_events (rail, id desc);
create index provider_events_oldest on provider_events (ended_at) where ended_at is not null;

create table provider_references (
  business_id object_id not null,
  livemode boolean not null,
  rail text not null,
  kind text not null,
  reference text not null,
  subject object_id not null,
  provider_id text,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, kind, reference)
);
comment on table provider_references is 'Which record a provider''s reference belongs to: a provider knows no businesses. Written before the first byte is sent.';
comment on column provider_references.reference is 'Ours, as it is sent';
comment on column provider_references.provider_id is 'The provider''s own, once it is known';
create unique index provider_references_provider_id on provider_references (livemode, rail, kind, provider_id)
  where provider_id is not null;

create table provider_incidents (
  id object_id primary key,
  livemode boolean not null,
  rail text not null,
  kind text not null,
  subject text not null,
  business_id object_id,
  detail jsonb not null,
  times integer not null default 1,
  opened_at timestamptz(3) not null,
  seen_at timestamptz(3) not null,
  closed_at timestamptz(3),
  closed_by text,
  check ((closed_at is null) = (closed_by is null))
);
comment on table provider_incidents is 'What a person must look at, at an account of a provider. Only a person closes it.';
comment on column provider_incidents.subject is 'What it is about: the id of a record or of an event, or something of the provider''s; empty: the account itself';
comment on column provider_incidents.times is 'How often it was found while it was open';
comment on column provider_incidents.seen_at is 'When it was found last';
create unique index provider_incidents_open on provider_incidents (livemode, rail, kind, subject) where closed_at is null;
