-- The people of businesses: who may sign in, to which businesses, and how. A person is of no business: memberships say of which ones.

create table persons (
  id object_id primary key,
  email text not null unique check (email = lower(email)),
  name text not null,
  installation_owner boolean not null default false,
  password_hash text,
  totp_secret bytea,
  totp_confirmed_at timestamptz(3),
  totp_step bigint,
  created_at timestamptz(3) not null,
  check (totp_confirmed_at is null or totp_secret is not null)
);
comment on table persons is 'Who may sign in to the dashboard.';
comment on column persons.installation_owner is 'Whether the person looks after the whole installation; rights in a business come from memberships alone';
comment on column persons.password_hash is 'argon2id, in the PHC string format; null: signs in by a passkey';
comment on column persons.totp_secret is 'The secret of the authenticator app, sealed; it counts once a code of it has confirmed it';
comment on column persons.totp_step is 'The time step of the last code that was taken: none is taken twice';

create table memberships (
  business_id object_id not null references businesses,
  person_id object_id not null references persons,
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'viewer')),
  joined_at timestamptz(3) not null,
  primary key (business_id, person_id)
);
comment on table memberships is 'Which businesses a person works for, and as what: in both modes.';
create index memberships_of_person on memberships (person_id);

alter table businesses add column second_factor_required boolean not null default false;
comment on column businesses.second_factor_required is 'Whether its people must have a passkey or an authenticator app: without one they see nothing of it';

create table invitations (
  id object_id primary key,
  business_id object_id references businesses,
  email text check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'developer', 'viewer')),
  installation_owner boolean not null default false,
  token_hash bytea unique,
  invited_by object_id references persons,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  accepted_by object_id references persons,
  revoked_at timestamptz(3),
  mail_at timestamptz(3),
  mail_tries integer not null default 0,
  mailed_at timestamptz(3),
  check (business_id is not null or installation_owner),
  check ((accepted_at is null) = (accepted_by is null)),
  check (accepted_at is null or revoked_at is null)
);
comment on table invitations is 'Links by which people join. Of each, the first who accepts it.';
comment on column invitations.business_id is 'Null: of the first owner, who gets every business that has none';
comment on column invitations.email is 'Who may accept it; null: who has the link, which the server printed for its operator';
comment on column invitations.token_hash is 'SHA-256 of the link''s token; null until the link is made, in the moment in which it is mailed or shown';
comment on column invitations.invited_by is 'Null: the operator, by a command';
comment on column invitations.mail_at is 'When it is to be mailed; null: it is not, or it was';
create unique index invitations_open on invitations (business_id, email) where accepted_at is null and revoked_at is null;
create index invitations_to_mail on invitations (mail_at) where mail_at is not null;

create table password_resets (
  id object_id primary key,
  email text not null check (email = lower(email)),
  token_hash bytea unique,
  address text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  mail_at timestamptz(3),
  mail_tries integer not null default 0
);
comment on table password_resets is 'Links to a new password, as they were asked for: for addresses of nobody too, so that the answer takes as long.';
comment on column password_resets.address is 'Where it was asked for';
create index password_resets_to_mail on password_resets (mail_at) where mail_at is not null;
create index password_resets_oldest on password_resets (expires_at);

create table passkeys (
  id object_id primary key,
  person_id object_id not null references persons,
  credential_id bytea not null unique,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  backed_up boolean not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);
comment on table passkeys is 'WebAuthn credentials: their public halves, which are no secrets.';
comment on column passkeys.sign_count is 'The authenticator''s own count of its signatures; 0: it does not count';
comment on column passkeys.backed_up is 'Whether its maker keeps a copy of it, so that the loss of one device does not lose it';
create index passkeys_of_person on passkeys (person_id);

create table passkey_challenges (
  challenge_hash bytea primary key,
  expires_at timestamptz(3) not null
);
comment on table passkey_challenges is 'Challenges that were answered: each is good for one answer. They carry their end and the server''s MAC, so none is stored before.';
create index passkey_challenges_oldest on passkey_challenges (expires_at);

create table recovery_codes (
  person_id object_id not null references persons,
  code_hash bytea not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (person_id, code_hash)
);
comment on table recovery_codes is 'What takes the place of an authenticator app that is lost: each once. SHA-256 of 80 random bits.';

create table person_sessions (
  id object_id primary key,
  token_hash bytea not null unique,
  person_id object_id not null references persons,
  method text not null check (method in ('password', 'password_totp', 'password_recovery_code', 'passkey')),
  signed_in_at timestamptz(3),
  address text not null,
  device text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
comment on table person_sessions is 'Browsers that are signed in. To end one is to delete its row: the next request with it is refused.';
comment on column person_sessions.token_hash is 'SHA-256 of the cookie';
comment on column person_sessions.signed_in_at is 'Null: the password was right, and the second factor is still to come';
comment on column person_sessions.last_used_at is 'A minute late at most. Who has not used it for long is signed out';
comment on column person_sessions.expires_at is 'When it ends, however much it is used';
create index person_sessions_of_person on person_sessions (person_id);
create index person_sessions_oldest on person_sessions (expires_at);

-- Who changed what: people too ---------------------------------------------------------------------------------------

alter table audit_log drop constraint audit_log_actor_type_check, drop constraint audit_log_check;
alter table audit_log
  add constraint audit_log_actor_type check (actor_type in ('key', 'person', 'operator')),
  add constraint audit_log_actor check ((actor_type = 'operator') = (actor_id is null));
comment on column audit_log.subject is 'What was changed: the id of a business, a key, a webhook endpoint, a person or an invitation';
comment on column audit_log.actor_type is 'key: a request with it; person: by the dashboard; operator: a command on the server''s machine';
comment on column audit_log.actor_hint is 'How people know who acted: the key''s first and last signs, or the person''s e-mail address';
