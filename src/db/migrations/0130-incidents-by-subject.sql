-- What a person has to look at is found by the record that it is about: its timeline says so.
-- Understood by servers from 0096 on.
create index provider_incidents_subject on provider_incidents (business_id, livemode, subject) where business_id is not null;
