-- What people look for again and again in the lists of the dashboard: the filters of a list, under a name of their own.

create table list_views (
  business_id object_id not null,
  person_id object_id not null,
  id object_id not null,
  list text not null,
  name text not null,
  query text not null,
  created_at timestamptz(3) not null,
  primary key (business_id, person_id, id),
  unique (business_id, person_id, list, name),
  foreign key (business_id, person_id) references memberships (business_id, person_id) on delete cascade
);
comment on table list_views is 'A person''s saved views: in both modes. They go with the membership.';
comment on column list_views.list is 'Which list, by the path of its page';
comment on column list_views.query is 'Its filters, as the address of the list has them';
