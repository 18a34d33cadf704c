-- Who rolled or re-scoped a key counts as its maker, beside who made it: none of them approves what it pays.
-- Understood by servers from 0096 on: what those roll and re-scope has one maker, as before.
alter table api_keys add column changed_by text[] not null default '{}';
comment on column api_keys.changed_by is
  'People who rolled or re-scoped it, or made, rolled or re-scoped a key that it took the place of; made_by is who made or rolled it last';
