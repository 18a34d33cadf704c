-- Payouts in one piece: lists of up to ten thousand, checked first, and then made one chunk after the other.

create table payout_batches (
  business_id object_id not null references businesses,
  livemode boolean not null,
  id object_id not null,
  reference text not null,
  description text,
  currency text not null,
  status text not null check (status in ('draft', 'running', 'completed', 'canceled')),
  line_count integer not null check (line_count > 0),
  amount bigint not null,
  fee bigint not null,
  bad integer not null,
  created integer not null default 0,
  refused integer not null default 0,
  canceled integer not null default 0,
  actor jsonb,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  ended_at timestamptz(3),
  primary key (business_id, livemode, id),
  unique (business_id, livemode, reference),
  check (bad + created + refused + canceled <= line_count),
  check ((ended_at is null) = (status in ('draft', 'running')))
);
comment on table payout_batches is 'Lists of payouts that are made together. Locked by whoever makes a chunk of them.';
comment on column payout_batches.amount is 'The sum of the lines that can be paid, as they were checked';
comment on column payout_batches.actor is 'Who has confirmed it, and so makes its payouts';
create index payout_batches_newest on payout_batches (business_id, livemode, created_at desc, id desc);

create table payout_batch_lines (
  business_id object_id not null,
  livemode boolean not null,
  batch_id object_id not null,
  line integer not null,
  reference text,
  amount bigint,
  input jsonb not null,
  status text not null check (status in ('waiting', 'bad', 'created', 'refused', 'canceled')),
  field text,
  code text,
  message text,
  payout_id object_id,
  primary key (business_id, livemode, batch_id, line),
  foreign key (business_id, livemode, batch_id) references payout_batches,
  check ((status = 'created') = (payout_id is not null)),
  check ((status in ('bad', 'refused')) = (code is not null))
);
comment on table payout_batch_lines is 'The lines of batches: each is made a payout once, in the transaction that says so here.';
create index payout_batch_lines_by_status on payout_batch_lines (business_id, livemode, batch_id, status, line);
