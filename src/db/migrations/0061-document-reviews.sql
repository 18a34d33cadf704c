-- Papers that no rail verifies wait for a person, who approves or rejects them; which keys of the operator may do that is a right of theirs.

alter table customer_documents
  add column review_id object_id,
  add column review_reason text,
  add column review_since timestamptz(3),
  add column reviewed_at timestamptz(3),
  add column reviewed_by text,
  add column review_note text,
  drop constraint customer_documents_pending,
  add constraint customer_documents_pending check (status <> 'pending' or rail is not null or review_id is not null),
  add constraint customer_documents_review check (
    (review_id is null) = (review_since is null) and (review_id is null) = (review_reason is null) and (review_id is null or rail is null)),
  add constraint customer_documents_reviewed check (
    (reviewed_at is null) = (reviewed_by is null) and (review_note is null or reviewed_at is not null)
    and (review_id is null or (status = 'pending') = (reviewed_at is null)));
comment on column customer_documents.rail is 'Who verifies it; null: the sandbox did, at once, or a person does';
comment on column customer_documents.review_id is 'Under which a person reviews it, another each time that it is given; null: nobody has to';
comment on column customer_documents.review_reason is 'Why a person does';
comment on column customer_documents.review_since is 'Since when it waits for one';
comment on column customer_documents.reviewed_by is 'Who decided: the id of a person, how to recognise a key of the operator, or the name that a command was given';
comment on column customer_documents.review_note is 'What that person wrote, for those who look after the installation alone';
create unique index customer_documents_reviews on customer_documents (review_id) where review_id is not null;
create index customer_documents_waiting on customer_documents (review_id) where status = 'pending' and review_id is not null;

alter table operator_keys add column reviews boolean not null default false;
comment on column operator_keys.reviews is 'Whether it may decide what waits for a person, and see what only who decides is shown';
