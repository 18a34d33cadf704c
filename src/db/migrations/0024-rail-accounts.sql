-- Which provider the name of a rail account belongs to: records and the ledger keep the name alone, so it is never given to another.

create table rail_accounts (
  livemode boolean not null,
  name text not null,
  provider text not null,
  first_seen_at timestamptz(3) not null,
  primary key (livemode, name)
);
comment on table rail_accounts is 'The accounts at providers that servers were ever started with. What records carry as their rail is a name of this table, or of a rail that is built in.';
