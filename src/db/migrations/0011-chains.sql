-- Blocks of a chain are read a second time, well below the tip: what an endpoint left out the first time is found then. What keeps
-- sweeps from going on is kept too, to be shown to the operator.

alter table evm_networks add column audited bigint;
alter table evm_networks add column sweep_trouble text;
alter table evm_networks add column sweep_trouble_at timestamptz(3);
comment on column evm_networks.audited is 'The last block that was read a second time; null: begins where reading stands';
comment on column evm_networks.sweep_trouble is 'What kept sweeps from going on at sweep_trouble_at; while it lasts, that is moved on';
