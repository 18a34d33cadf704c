-- Reads each row of events, deliveries, attempts and resends once, while they are read and written: nothing is past the bounds of 0100.
-- Understood by servers from 0096 on.
alter table events validate constraint events_first_range;
alter table event_resends validate constraint event_resends_first_range;
alter table webhook_deliveries validate constraint webhook_deliveries_first_range;
alter table webhook_attempts validate constraint webhook_attempts_first_range;
