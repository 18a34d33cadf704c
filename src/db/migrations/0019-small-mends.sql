-- A quote prices one payout.
alter table payout_quotes drop constraint payout_quotes_status_check;
alter table payout_quotes add constraint payout_quotes_status_check check (status in ('open', 'used', 'expired'));

-- Codes are lower-case everywhere, those of countries too.
update customers set address = jsonb_set(address, '{country}', to_jsonb(lower(address->>'country')))
 where address->>'country' <> lower(address->>'country');
update invoices set bill_to = jsonb_set(bill_to, '{address,country}', to_jsonb(lower(bill_to->'address'->>'country')))
 where bill_to->'address'->>'country' <> lower(bill_to->'address'->>'country');
