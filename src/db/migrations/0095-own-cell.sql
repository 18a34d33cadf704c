-- Which cell a database is: keys and slugs that were made here name it, so it must never be another.
create table own_cell (
  only_one boolean primary key default true check (only_one),
  letter text not null check (letter ~ '^[a-z]$')
);
comment on table own_cell is 'The letter of the cell that this database is, written down by its first server';
