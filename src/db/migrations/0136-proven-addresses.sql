-- Whether a person has shown that the mailbox of the account's address is theirs.
-- Understood by servers from 0096 on: those before this one prove no address, which the next link to a new password does.
alter table persons add column email_proven_at timestamptz(3);
comment on column persons.email_proven_at is
  'When a link that was mailed, or an invitation by the operator, showed that the mailbox is the person''s; null: a colleague was shown the link that made the account';
update persons p set email_proven_at = i.accepted_at from invitations i
 where i.accepted_by = p.id and (i.mail_tries > 0 or i.invited_by is null);
