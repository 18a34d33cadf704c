-- Businesses and their keys, the people who work for them, the audit log, and the prices that the operator sets.

-- Businesses ---------------------------------------------------------------------------------------------------------
create table businesses (
  id object_id primary key, name text not null, created_at timestamptz(3) not null, second_factor_required boolean not null default false,
  status text not null default 'active' check (status in ('active', 'suspended', 'closed')), status_reason text, status_at timestamptz(3),
  owner_removed_at timestamptz,
  constraint businesses_status check ((status_at is null) <= (status = 'active')));
comment on table businesses is 'Merchants; and 000000000000000000000001, the operator, whose books hold what belongs to none. No key is ever made for it.';
comment on column businesses.name is 'What the operator calls it';
comment on column businesses.second_factor_required is 'Whether its people must have a passkey or an authenticator app: without one they see nothing of it';
comment on column businesses.status is 'Suspended or closed: nothing new is collected or paid out; what is under way ends, and money that comes is booked';
comment on column businesses.status_reason is 'Why, as the business is shown it';
comment on column businesses.status_at is 'When the status last changed; null: it never did';
comment on column businesses.owner_removed_at is 'When a person last removed another owner, or gave one a lower role; null: never. What the operator does does not count';
insert into businesses (id, name, created_at) values ('000000000000000000000001', 'The operator', '2000-01-01 00:00:00+00');

-- Each mode has its own profile, so that what is tried out with a test key shows on no live page.
create table business_profiles (
  business_id object_id not null references businesses, livemode boolean not null, name text not null, locale text not null default 'en',
  time_zone text not null default 'UTC', metadata jsonb not null default '{}', created_at timestamptz(3) not null, updated_at timestamptz(3) not null,
  color text check (color ~ '^#[0-9a-f]{6}$'), statement_name text, support_email text, support_phone text, address jsonb, tax_id text, registration_number text,
  terms_url text, receipts boolean not null default true, notices jsonb not null default '{}', primary key (business_id, livemode));
comment on table business_profiles is 'What payers, customers and reports know a business by, in each mode.';
comment on column business_profiles.locale is 'BCP 47: how amounts and times are written for people';
comment on column business_profiles.time_zone is 'IANA: where days and months of lists, exports and statements begin';
comment on column business_profiles.color is '#rrggbb, as it was given: pages take shades of it that can be read';
comment on column business_profiles.statement_name is 'What payers read on their bank statements, where a rail lets it be chosen';
comment on column business_profiles.address is 'line1, city, state, postal_code, country';
comment on column business_profiles.receipts is 'Whether payers who gave an address are mailed receipts';
comment on column business_profiles.notices is 'Which notices the team gets, by kind; a kind that is not in it is on';

create table business_logos (
  business_id object_id not null references businesses, livemode boolean not null, slug text not null unique, hash text not null,
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')), width integer not null, height integer not null,
  content bytea not null check (length(content) <= 262144), created_at timestamptz(3) not null, primary key (business_id, livemode));
comment on table business_logos is 'The logo of a business in each mode: the picture alone, without what else was in its file.';
comment on column business_logos.slug is 'Random, of its address; another logo has another';
comment on column business_logos.hash is 'SHA-256 of the content, in hex';

create table api_keys (
  business_id object_id not null references businesses, id object_id not null, livemode boolean not null, key_hash bytea not null unique, hint text not null,
  name text not null, allow_ips text[] not null default '{}', created_at timestamptz(3) not null, expires_at timestamptz(3), revoked_at timestamptz(3),
  scopes text[] not null, lifetime_ms bigint, last_used_at timestamptz(3), last_used_from text, root_id object_id, made_by object_id,
  changed_by text[] not null default '{}', primary key (business_id, id),
  constraint api_keys_lifetime check (lifetime_ms > 0), constraint api_keys_of_merchants check (business_id <> '000000000000000000000001'),
  constraint api_keys_scopes check (cardinality(scopes) > 0
    and scopes <@ '{read,collect,payout,refund,refund_elsewhere,manage,approve}'
    and not ('approve' = any (scopes) and scopes && '{payout,refund_elsewhere}')));
comment on table api_keys is 'Bearer keys. The key itself is shown once and never stored.';
comment on column api_keys.key_hash is 'SHA-256 of the whole key; a key carries 190 random bits';
comment on column api_keys.hint is 'How a person recognises the key: its prefix and last four characters';
comment on column api_keys.allow_ips is 'Addresses and CIDRs it may be used from; empty: from anywhere';
comment on column api_keys.expires_at is 'When it stops working: the end of its lifetime, or of the overlap after a roll';
comment on column api_keys.scopes is 'What it may do. Who approves payouts cannot create them';
comment on column api_keys.lifetime_ms is 'How long it was made to work; null: until it is revoked. A roll gives its successor as long';
comment on column api_keys.last_used_at is 'The latest use, a minute late at most';
comment on column api_keys.last_used_from is 'The address of that use';
comment on column api_keys.root_id is 'The first key of the rolls that led to it; null: there were none. What one of them made, none of them approves';
comment on column api_keys.made_by is 'The person who made it; null: the operator';
comment on column api_keys.changed_by is 'People who rolled or re-scoped it, or made, rolled or re-scoped a key that it took the place of; made_by is who made or rolled it last';

create table operator_keys (
  id object_id primary key, key_hash bytea not null unique, hint text not null, name text not null, made_by text, created_at timestamptz(3) not null,
  revoked_at timestamptz(3), last_used_at timestamptz(3), last_used_from text, reviews boolean not null default false);
comment on table operator_keys is 'Keys of the operator, for /operator alone: they are of no business.';
comment on column operator_keys.key_hash is 'SHA-256 of the key, which is random: the key itself is stored nowhere';
comment on column operator_keys.made_by is 'The person who made it; null: a command';
comment on column operator_keys.reviews is 'Whether it may decide what waits for a person, and see what only who decides is shown';

-- Test mode ----------------------------------------------------------------------------------------------------------
create table test_clocks (
  business_id object_id primary key references businesses, offset_ms bigint not null check (offset_ms >= 0), moving_until timestamptz(3),
  emptied integer not null default 0,
  constraint test_clocks_of_merchants check (business_id <> '000000000000000000000001'));
comment on table test_clocks is 'How far a business has moved its test mode ahead of the machine''s clock. No row: not at all.';
comment on column test_clocks.moving_until is 'While a move fires what it made due, the timer loop leaves the rest to it; in machine time';
comment on column test_clocks.emptied is 'How often its test data were emptied: who began to write before the last time writes nothing after it';

create table test_data_removals (
  business_id object_id not null references businesses, id object_id not null, requested_by jsonb not null, requested_at timestamptz(3) not null, at_work xid8,
  rows jsonb, ended_at timestamptz(3), primary key (business_id, id));
comment on table test_data_removals is 'Whose test data are to be emptied, and were';
comment on column test_data_removals.at_work is 'The transaction that deletes: what is append-only looks for it';
create unique index test_data_removals_open on test_data_removals (business_id) where ended_at is null;

create function refuse_removal() returns trigger language plpgsql as $body$
begin
  if tg_level = 'STATEMENT' then
    if current_user = (select pg_get_userbyid(relowner) from pg_class where oid = tg_relid)
       and exists (select from test_data_removals where at_work = pg_current_xact_id() and ended_at is null) then
      return null;
    end if;
  elsif not old.livemode and exists (
    select from test_data_removals
     where business_id = old.business_id and at_work = pg_current_xact_id() and ended_at is null) then
    return old;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $body$;

-- The first statement of a write to test data. Emptying waits for the writers that hold them, and refuses later ones. The second query reads, behind the lock, how often
-- they were emptied: each statement of a volatile function has its own snapshot.
create function hold_test_data(businesses text[], began integer[]) returns void language plpgsql as $body$
begin
  if exists (select from unnest(businesses) as asked (business) where not pg_try_advisory_xact_lock_shared(1701671028, hashtext(business))) then
    raise exception 'test data are being emptied' using errcode = 'BU001';
  end if;
  if exists (select from unnest(businesses, began) as asked (business, emptied)
               join test_clocks c on c.business_id = asked.business
              where c.emptied <> asked.emptied) then
    raise exception 'test data were emptied' using errcode = 'BU001';
  end if;
end $body$;
comment on function hold_test_data is 'Holds the test data of businesses until the transaction ends; `began`: how often they had been emptied when it began, or null';

-- People -------------------------------------------------------------------------------------------------------------
create table persons (
  id object_id primary key, email text not null unique check (email = lower(email)), name text not null, installation_owner boolean not null default false,
  password_hash text, totp_secret bytea, totp_confirmed_at timestamptz(3), totp_step bigint, created_at timestamptz(3) not null, email_proven_at timestamptz(3),
  check (totp_confirmed_at is null or totp_secret is not null));
comment on table persons is 'Who may sign in to the dashboard.';
comment on column persons.installation_owner is 'Whether the person looks after the whole installation; rights in a business come from memberships alone';
comment on column persons.password_hash is 'argon2id, in the PHC string format; null: signs in by a passkey';
comment on column persons.totp_secret is 'The secret of the authenticator app, sealed; it counts once a code of it has confirmed it';
comment on column persons.totp_step is 'The time step of the last code that was taken: none is taken twice';
comment on column persons.email_proven_at is 'When a link that was mailed, or an invitation by the operator, showed that the mailbox is the person''s; null: a colleague was shown the link that made the account';

create table memberships (
  business_id object_id not null references businesses, person_id object_id not null references persons,
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'viewer')), joined_at timestamptz(3) not null,
  notices jsonb not null default '{}', primary key (business_id, person_id));
comment on table memberships is 'Which businesses a person works for, and as what: in both modes.';
comment on column memberships.notices is 'Which notices the person wants, by kind: true or false; a kind that is not in it goes by the role';
create index memberships_of_person on memberships (person_id);

create table invitations (
  id object_id primary key, business_id object_id references businesses, email text check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'viewer')), installation_owner boolean not null default false,
  token_hash bytea unique, invited_by object_id references persons, created_at timestamptz(3) not null, expires_at timestamptz(3) not null, accepted_at timestamptz(3),
  accepted_by object_id references persons, revoked_at timestamptz(3), mail_at timestamptz(3), mail_tries integer not null default 0, mailed_at timestamptz(3),
  check (business_id is not null or installation_owner), check ((accepted_at is null) = (accepted_by is null)), check (accepted_at is null or revoked_at is null));
comment on table invitations is 'Links by which people join. Of each, the first who accepts it.';
comment on column invitations.business_id is 'Null: of the first owner, who gets every business that has none';
comment on column invitations.email is 'Who may accept it; null: who has the link, which the server printed for its operator';
comment on column invitations.token_hash is 'SHA-256 of the link''s token; null until the link is made, in the moment in which it is mailed or shown';
comment on column invitations.invited_by is 'Null: the operator, by a command';
comment on column invitations.mail_at is 'When it is to be mailed; null: it is not, or it was';
create unique index invitations_open on invitations (business_id, email) where accepted_at is null and revoked_at is null;
create index invitations_to_mail on invitations (mail_at) where mail_at is not null;

create table password_resets (
  id object_id primary key, email text not null check (email = lower(email)), token_hash bytea unique, address text not null, created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null, used_at timestamptz(3), mail_at timestamptz(3), mail_tries integer not null default 0);
comment on table password_resets is 'Links to a new password, as they were asked for: for addresses of nobody too, so that the answer takes as long.';
comment on column password_resets.address is 'Where it was asked for';
create index password_resets_to_mail on password_resets (mail_at) where mail_at is not null;
create index password_resets_oldest on password_resets (expires_at);

create table passkeys (
  id object_id primary key, person_id object_id not null references persons, credential_id bytea not null unique, public_key bytea not null,
  sign_count bigint not null, transports text[] not null, backed_up boolean not null, name text not null, created_at timestamptz(3) not null,
  last_used_at timestamptz(3));
comment on table passkeys is 'WebAuthn credentials: their public halves, which are no secrets.';
comment on column passkeys.sign_count is 'The authenticator''s own count of its signatures; 0: it does not count';
comment on column passkeys.backed_up is 'Whether its maker keeps a copy of it, so that the loss of one device does not lose it';
create index passkeys_of_person on passkeys (person_id);

create table passkey_challenges (
  challenge_hash bytea primary key, expires_at timestamptz(3) not null);
comment on table passkey_challenges is 'Challenges that were answered: each is good for one answer. They carry their end and the server''s MAC, so none is stored before.';
create index passkey_challenges_oldest on passkey_challenges (expires_at);

create table recovery_codes (
  person_id object_id not null references persons, code_hash bytea not null, created_at timestamptz(3) not null, used_at timestamptz(3),
  primary key (person_id, code_hash));
comment on table recovery_codes is 'What takes the place of an authenticator app that is lost: each once. SHA-256 of 80 random bits.';

create table person_sessions (
  id object_id primary key, token_hash bytea not null unique, person_id object_id not null references persons,
  method text not null check (method in ('password', 'password_totp', 'password_recovery_code', 'passkey')), signed_in_at timestamptz(3), address text not null,
  device text not null, created_at timestamptz(3) not null, last_used_at timestamptz(3) not null, expires_at timestamptz(3) not null);
comment on table person_sessions is 'Browsers that are signed in. To end one is to delete its row: the next request with it is refused.';
comment on column person_sessions.token_hash is 'SHA-256 of the cookie';
comment on column person_sessions.signed_in_at is 'Null: the password was right, and the second factor is still to come';
comment on column person_sessions.last_used_at is 'A minute late at most. Who has not used it for long is signed out';
comment on column person_sessions.expires_at is 'When it ends, however much it is used';
create index person_sessions_of_person on person_sessions (person_id);
create index person_sessions_oldest on person_sessions (expires_at);

create table list_views (
  business_id object_id not null, person_id object_id not null, id object_id not null, list text not null, name text not null, query text not null,
  created_at timestamptz(3) not null, primary key (business_id, person_id, id),
  unique (business_id, person_id, list, name), foreign key (business_id, person_id) references memberships (business_id, person_id) on delete cascade);
comment on table list_views is 'A person''s saved views: in both modes. They go with the membership.';
comment on column list_views.list is 'Which list, by the path of its page';
comment on column list_views.query is 'Its filters, as the address of the list has them';

-- A notice is written in the transaction of what happened, and many are mailed in one mail.
create table team_notices (
  business_id object_id not null references businesses, livemode boolean not null,
  kind text not null check (kind in ('payout_failed', 'payout_waiting', 'endpoint_failing', 'incident', 'dispute')), id object_id not null, line text not null,
  made_by object_id, created_at timestamptz(3) not null, primary key (business_id, livemode, kind, id));
comment on table team_notices is 'What the team has yet to be mailed. Rows are deleted in the transaction that writes the mails.';
comment on column team_notices.line is 'What happened, in a line, without names of people';
comment on column team_notices.made_by is 'The person who made it happen, and need not be told';

create table team_notice_times (
  business_id object_id not null references businesses, livemode boolean not null, kind text not null, mailed_at timestamptz(3) not null,
  primary key (business_id, livemode, kind));
comment on table team_notice_times is 'When the team was last mailed about each kind, by the machine''s clock: an hour is between two mails.';

-- For 72 hours, a person does not approve what the giver of the right to approve made.
create table approval_grants (
  business_id object_id not null references businesses, person_id object_id not null references persons, id object_id not null, given_by object_id references persons,
  shown boolean not null, given_at timestamptz(3) not null, primary key (business_id, person_id, id));
comment on table approval_grants is 'Each time that somebody invited a person, or gave the role that approves, of the last 72 hours. It stays when the person has left: keys of the person may be in force.';
comment on column approval_grants.given_by is 'Null: the operator, by a command';
comment on column approval_grants.shown is 'Whether the person joined by a link that a colleague was shown, with an address that nothing has proved';

-- Each waits for a second person, or until it takes effect.
create table loosenings (
  business_id object_id not null references businesses, subject text not null check (subject in ('limits', 'second_factor')), id object_id not null,
  change jsonb not null, made_by jsonb not null, created_at timestamptz(3) not null, takes_effect_at timestamptz(3) not null, primary key (business_id, subject));
comment on table loosenings is 'Changes of live mode that loosen what a business has set for its safety, until they take effect or are canceled.';
comment on column loosenings.change is 'What is to change, by the names of the fields; what is left out stays as it is then';
comment on column loosenings.made_by is 'Who asked for it, with the ids that stand for the same person or key, and from where';

-- Audit log ----------------------------------------------------------------------------------------------------------
-- An entry never changes, so it names people and invitations by id. Their e-mail addresses are looked up when the entry is read, and are gone once they are erased.
create table audit_log (
  business_id object_id not null references businesses, livemode boolean not null, id object_id not null, action text not null, subject object_id not null,
  actor_type text not null, actor_id object_id, actor_hint text, address text, before jsonb, after jsonb, created_at timestamptz(3) not null,
  primary key (business_id, livemode, id),
  constraint audit_log_actor_type check (actor_type in ('key', 'person', 'operator')),
  constraint audit_log_actor check (actor_type = 'operator' or actor_id is not null),
  constraint audit_log_names_no_person check (actor_type <> 'person' or actor_hint is null));
comment on table audit_log is 'Append-only. Who changed what of the settings that money and access depend on, written in the transaction of the change.';
comment on column audit_log.subject is 'What was changed: the id of a business, a key, a webhook endpoint, a person or an invitation';
comment on column audit_log.actor_type is 'key: a request with it; person: by the dashboard; operator: a key of the operator, or a command on the server''s machine, which has no id';
comment on column audit_log.actor_hint is 'How people know the key that acted: its first and last signs. A person is named by the id alone';
comment on column audit_log.address is 'Where the request came from; null for commands';
comment on column audit_log.before is 'What the change replaced; null: it made something. Never a secret';
comment on column audit_log.created_at is 'In the machine''s time, in test mode too: a test clock moves what happens, not who did it when';
create index audit_log_newest_alike on audit_log (business_id, livemode, action, id desc);
create index audit_log_of_subject on audit_log (business_id, livemode, subject, id);
create index audit_log_of_actor on audit_log (business_id, livemode, actor_id, id desc) where actor_id is not null;
select count_list('audit_log', '{action}');
create trigger audit_log_append_only before update or delete or truncate on audit_log for each statement execute function refuse_change();

-- Prices -------------------------------------------------------------------------------------------------------------
-- Prices are append-only, and no price takes effect in the past: what a price was at a time stays what it was.
create table price_plans (
  id object_id primary key, name text not null unique, created_at timestamptz(3) not null);
comment on table price_plans is 'Prices by name. A business without a plan has those of the installation: PRICING_FILE, or the built-in ones.';
create trigger price_plans_kept before update or delete or truncate on price_plans for each statement execute function refuse_change();

create table price_versions (
  number bigint generated always as identity primary key, plan_id object_id not null references price_plans, holds_from timestamptz(3) not null, prices jsonb not null,
  made_by text, created_at timestamptz(3) not null,
  check (holds_from >= created_at));
comment on table price_versions is 'The whole table of prices of a plan, from a date on. Of two with the same date, the one that was made last holds.';
comment on column price_versions.made_by is 'How to recognise the operator''s key or the person; null: a command';
create index price_versions_of_plan on price_versions (plan_id, holds_from desc, number desc);
create trigger price_versions_kept before update or delete or truncate on price_versions for each statement execute function refuse_change();

create table price_assignments (
  business_id object_id not null references businesses, number bigint generated always as identity, plan_id object_id references price_plans,
  holds_from timestamptz(3) not null, made_by text, created_at timestamptz(3) not null, primary key (business_id, number),
  unique (number), check (holds_from >= created_at));
comment on table price_assignments is 'Which plan a business has, from a date on. Of two with the same date, the one that was made last holds.';
comment on column price_assignments.plan_id is 'Null: the prices of the installation';
create trigger price_assignments_kept before update or delete or truncate on price_assignments for each statement execute function refuse_change();
