-- What the people of a business are mailed about: a row in the transaction of what happened, mailed once, many in one mail. When an endpoint's
-- outage began, so that it is told once. What each person wants of that, for each business.

create table team_notices (
  business_id object_id not null references businesses,
  livemode boolean not null,
  kind text not null check (kind in ('payout_failed', 'payout_waiting', 'endpoint_failing', 'incident')),
  id object_id not null,
  line text not null,
  made_by object_id,
  created_at timestamptz(3) not null,
  primary key (business_id, livemode, kind, id)
);
comment on table team_notices is 'What the team has yet to be mailed. Rows are deleted in the transaction that writes the mails.';
comment on column team_notices.line is 'What happened, in a line, without names of people';
comment on column team_notices.made_by is 'The person who made it happen, and need not be told';

create table team_notice_times (
  business_id object_id not null references businesses,
  livemode boolean not null,
  kind text not null,
  mailed_at timestamptz(3) not null,
  primary key (business_id, livemode, kind)
);
comment on table team_notice_times is 'When the team was last mailed about each kind, by the machine''s clock: an hour is between two mails.';

create table webhook_outages (
  business_id object_id not null,
  livemode boolean not null,
  webhook_id object_id not null,
  opened_at timestamptz(3) not null,
  primary key (business_id, livemode, webhook_id),
  foreign key (business_id, livemode, webhook_id) references webhooks (business_id, livemode, id)
);
comment on table webhook_outages is 'Endpoints that take nothing, from when the team was to be told of it until something came.';

alter table memberships add column notices jsonb not null default '{}';
comment on column memberships.notices is 'Which notices the person wants, by kind: true or false; a kind that is not in it goes by the role';
