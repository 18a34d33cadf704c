-- Some providers find an order by their own name of it alone: it is kept from the first answer that has it, so that the order can be asked about.

create table provider_orders (
  livemode boolean not null,
  rail text not null,
  reference text not null,
  provider_id text not null,
  created_at timestamptz(3) not null,
  primary key (livemode, rail, reference)
);
comment on table provider_orders is 'What providers call the orders that they were sent.';
comment on column provider_orders.reference is 'Ours, as it was sent';
comment on column provider_orders.provider_id is 'The provider''s own';
