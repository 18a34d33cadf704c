-- The day of the calendar on which an invoice is due, beside the moment that the API has had from the start.
-- Understood by servers from 0096 on: for those that do not know the column, the trigger fills it.
alter table invoices add column due_day date;
comment on column invoices.due_day is
  'The day on which it is due, as it was given, or that of due_date in the time zone of the business; it stays when the zone is changed';
-- A day that was given was kept as midnight in UTC.
update invoices i
   set due_day = case when i.due_date = date_trunc('day', i.due_date, 'UTC') then (i.due_date at time zone 'UTC')::date
                      else (i.due_date at time zone p.time_zone)::date end
  from business_profiles p
 where p.business_id = i.business_id and p.livemode = i.livemode and i.due_date is not null;
create function fill_due_day() returns trigger language plpgsql as $$
declare
  utc constant timestamptz := new.due_day::timestamp at time zone 'UTC';
begin
  -- A server that knows the column gives both. The day begins in some zone at most 15 hours from its midnight in UTC.
  if new.due_day is null or new.due_date is null
     or new.due_date < utc - interval '15 hours' or new.due_date > utc + interval '39 hours' then
    new.due_day := (new.due_date at time zone 'UTC')::date;
  end if;
  return new;
end $$;
create trigger invoices_due_day before insert or update of due_date on invoices
  for each row execute function fill_due_day();
