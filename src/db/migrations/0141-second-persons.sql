-- Who gave a person the right to approve, and when: for a time, that person does not approve what the giver made. And changes that loosen what a
-- business has set for its safety: each waits for a second person, or until a time at which it takes effect.
-- Understood by servers from 0096 on: those before this one loosen at once, and take nobody as too new.
create table approval_grants (
  business_id object_id not null references businesses,
  person_id object_id not null references persons,
  id object_id not null,
  given_by object_id references persons,
  shown boolean not null,
  given_at timestamptz(3) not null,
  primary key (business_id, person_id, id)
);
comment on table approval_grants is 'Each time that somebody invited a person, or gave the role that approves, of the last 72 hours. It stays when the person has left: keys of the person may be in force.';
comment on column approval_grants.given_by is 'Null: the operator, by a command';
comment on column approval_grants.shown is 'Whether the person joined by a link that a colleague was shown, with an address that nothing has proved';
insert into approval_grants (business_id, person_id, id, given_by, shown, given_at)
select business_id, accepted_by, id, invited_by, mail_tries = 0 and invited_by is not null, accepted_at
  from invitations where business_id is not null and accepted_at is not null;

create table loosenings (
  business_id object_id not null references businesses,
  subject text not null check (subject in ('limits', 'second_factor')),
  id object_id not null,
  change jsonb not null,
  made_by jsonb not null,
  created_at timestamptz(3) not null,
  takes_effect_at timestamptz(3) not null,
  primary key (business_id, subject)
);
comment on table loosenings is 'Changes of live mode that loosen what a business has set for its safety, until they take effect or are canceled.';
comment on column loosenings.change is 'What is to change, by the names of the fields; what is left out stays as it is then';
comment on column loosenings.made_by is 'Who asked for it, with the ids that stand for the same person or key, and from where';
