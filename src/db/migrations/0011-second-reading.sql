-- Blocks of a chain are read a second time, well below the tip: what an endpoint left out the first time is found then.

alter table evm_networks add column audited bigint;
comment on column evm_networks.audited is 'The last block that was read a second time; null: begins where reading stands';
