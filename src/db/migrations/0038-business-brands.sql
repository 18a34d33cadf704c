-- What payers know a business by beside its name: logo, colour, how to reach it, where it is, its numbers, its terms. Whether it mails receipts, and
-- what its team is told of. An invoice keeps who the seller was when it was finalized. Mails are not of invoices alone any more.

alter table business_profiles
  add column color text check (color ~ '^#[0-9a-f]{6}$'),
  add column statement_name text,
  add column support_email text,
  add column support_phone text,
  add column address jsonb,
  add column tax_id text,
  add column registration_number text,
  add column terms_url text,
  add column receipts boolean not null default true,
  add column notices jsonb not null default '{}';
comment on column business_profiles.color is '#rrggbb, as it was given: pages take shades of it that can be read';
comment on column business_profiles.statement_name is 'What payers read on their bank statements, where a rail lets it be chosen';
comment on column business_profiles.address is 'line1, city, state, postal_code, country';
comment on column business_profiles.receipts is 'Whether payers who gave an address are mailed receipts';
comment on column business_profiles.notices is 'Which notices the team gets, by kind; a kind that is not in it is on';

create table business_logos (
  business_id object_id not null references businesses,
  livemode boolean not null,
  slug text not null unique,
  hash text not null,
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  width integer not null,
  height integer not null,
  content bytea not null check (length(content) <= 262144),
  created_at timestamptz(3) not null,
  primary key (business_id, livemode)
);
comment on table business_logos is 'The logo of a business in each mode: the picture alone, without what else was in its file.';
comment on column business_logos.slug is 'Random, of its address; another logo has another';
comment on column business_logos.hash is 'SHA-256 of the content, in hex';

alter table invoices add column seller jsonb;
comment on column invoices.seller is 'Who the business was when the invoice was finalized: name, address, tax_id, registration_number; null before there were profiles';

alter table mails alter column invoice_id drop not null, add column about text;
comment on column mails.about is 'What it tells of, such as ''payment.completed 6925…'': mailed once to a recipient; null: as often as asked';
create unique index mails_once on mails (business_id, livemode, about, recipient) where about is not null;
