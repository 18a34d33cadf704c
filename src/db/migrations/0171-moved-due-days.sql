-- A server that does not know due_day moves due_date alone: the day is then that of the new moment, however near the old one. What is midnight in
-- UTC was given as a day there; any other moment is in the time zone of the business.
-- Understood by servers from 0096 on: those that know the day write it themselves, also where it stays the same.
create function keep_due_day() returns trigger language plpgsql as $$
begin
  perform set_config('bursar.due_day_of', new.id, true);
  return new;
end $$;
-- It runs before invoices_due_day, by its name, where a statement names due_day.
create trigger invoices_day_given before update of due_day on invoices
  for each row execute function keep_due_day();

create or replace function fill_due_day() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.due_day is not null then return new; end if;
  elsif current_setting('bursar.due_day_of', true) = new.id then
    perform set_config('bursar.due_day_of', '', true);
    return new;
  elsif new.due_date is not distinct from old.due_date then
    return new;
  end if;
  new.due_day := case
    when new.due_date = date_trunc('day', new.due_date, 'UTC') then (new.due_date at time zone 'UTC')::date
    else (new.due_date at time zone coalesce(
      (select p.time_zone from business_profiles p where p.business_id = new.business_id and p.livemode = new.livemode),
      'UTC'))::date end;
  return new;
end $$;
