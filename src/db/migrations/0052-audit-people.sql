-- An entry of the audit log stays as it is, so it names people and invitations by their ids alone: their e-mail addresses are looked up when it
-- is read, and are gone once they are erased. Those that were copied are taken out, once, by the owner of the table.
alter table audit_log disable trigger audit_log_append_only;
update audit_log
   set actor_hint = case actor_type when 'person' then null else actor_hint end,
       before = case when action in ('invitation.created', 'invitation.revoked', 'person.joined', 'person.removed') then before - 'email' else before end,
       after = case when action in ('invitation.created', 'invitation.revoked', 'person.joined', 'person.removed') then after - 'email' else after end
 where actor_type = 'person' or action in ('invitation.created', 'invitation.revoked', 'person.joined', 'person.removed');
alter table audit_log enable trigger audit_log_append_only;
alter table audit_log add constraint audit_log_names_no_person check (actor_type <> 'person' or actor_hint is null);
comment on column audit_log.actor_hint is 'How people know the key that acted: its first and last signs. A person is named by the id alone';

-- A team is of both modes, and so is what is done to it: until now that stood with live mode.
insert into audit_log (business_id, livemode, id, action, subject, actor_type, actor_id, actor_hint, address, before, after, created_at)
select business_id, false, id, action, subject, actor_type, actor_id, actor_hint, address, before, after, created_at
  from audit_log
 where livemode and (action like 'invitation.%' or action like 'person.%' or action like 'team.%')
 order by business_id, id
on conflict do nothing;

create index audit_log_of_actor on audit_log (business_id, livemode, actor_id, id desc) where actor_id is not null;
