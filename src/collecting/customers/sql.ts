import { replanned, sql, sqlOfAll } from '../../db/db.ts'
import * as t from '../../db/table.ts'
import type { Id } from '../../lib/ids.ts'
import type {
  Customer,
  IdentityDocument,
  IdType,
  KycStatus,
  ReviewReason,
  VerifiedIdentityDocument,
} from './schema.ts'

// Customers
// -------------------------------------------------------------------------------------------------

/** The columns are the record's fields, plus `deleted_at`, which is never shown. */
export const customers = t.table('customers', {
  id: t.text<Id>(),
  reference: t.nullable(t.text()),
  name: t.text(),
  first_name: t.nullable(t.text()),
  last_name: t.nullable(t.text()),
  email: t.text(),
  phone: t.nullable(t.text()),
  type: t.text<Customer['type']>(),
  kyc_status: t.defaulted(t.text<KycStatus>()),
  address: t.nullable(t.json<NonNullable<Customer['address']>>()),
  metadata: t.json<Customer['metadata']>(),
  created_at: t.time(),
  updated_at: t.time(),
})
export type CustomerRow = t.RowOf<typeof customers>
export const columns = t.columnsOf(customers)

/** A reference belongs to one customer until that is deleted. */
export const freeReference =
  '(business_id, livemode, reference) where deleted_at is null do nothing'

export const selectCustomer = t.byId(customers, 'and deleted_at is null')
/** The customer cannot be erased before the transaction ends. */
export const holdCustomer = t.byId(customers, 'and deleted_at is null for key share')
export const lockCustomer = t.byId(customers, `and deleted_at is null ${t.locked}`)

export const selectNames = sql<{ id: Id; name: string }>(
  'customers.select_names',
  `select id, name from customers
    where business_id = $1 and livemode = $2 and id = any ($3::text[]) and deleted_at is null`,
)

export const deleteCustomer = sql<CustomerRow>(
  'customers.delete',
  `update customers set deleted_at = $4, updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3 and deleted_at is null returning ${columns}`,
)

export const insertWords = sql(
  'customers.insert_words',
  `insert into customer_words (business_id, livemode, customer_id, word)
   select $1::text, $2::boolean, $3::text, unnest($4::text[])`,
)

export const deleteWords = sql(
  'customers.delete_words',
  'delete from customer_words where business_id = $1 and livemode = $2 and customer_id = $3',
)

/** Includes deleted customers, because the records of their money stay. */
export const selectByEmail = replanned(
  sql<{ id: Id }>(
    'customers.select_by_email',
    `select found.id from unnest($3::text[]) spelling
      cross join lateral (
        select id, created_at from customers where business_id = $1 and livemode = $2 and lower(email) = lower(spelling)
         order by created_at desc, id desc limit $4) found
      order by found.created_at desc, found.id desc limit $4`,
  ),
)

/** Counts the words that start with each term, up to a bound. */
export const countWords = replanned(
  sql<{ term: string; rows: number }>(
    'customers.count_words',
    `select term, (select count(*)::integer from (
              select from customer_words
               where business_id = $1 and livemode = $2 and word >= term and word < term || U&'\\+10FFFF' order by word limit $4) read) as rows
       from unnest($3::text[]) as term`,
  ),
)

/**
 * Customers with a word for each term of two lists. The index finds them by the first list, whose
 * terms are rare; the second filters.
 */
const withWords = (rareTerms: string, otherTerms: string): string => `
    select found.id from (
      select w.customer_id as id from unnest(${rareTerms}::text[]) as term
        join customer_words w
          on w.business_id = $1 and w.livemode = $2 and w.word >= term and w.word < term || U&'\\+10FFFF'
       group by w.customer_id having count(distinct term) = cardinality(${rareTerms}::text[])) found
     where not exists (
       select from unnest(${otherTerms}::text[]) as term where not exists (
         select from customer_words w
          where w.business_id = $1 and w.livemode = $2 and w.customer_id = found.id
            and w.word >= term and w.word < term || U&'\\+10FFFF'))`

export const selectByWords = replanned(
  sql<{ id: Id }>('customers.select_by_words', `${withWords('$3', '$4')} limit $5`),
)

/**
 * The condition of a list: an array, so that PostgreSQL reads this index first instead of checking
 * customers one by one.
 */
export const hasWords = `id = any (array(${withWords('?1', '?2')}))`

// Identity documents
// -------------------------------------------------------------------------------------------------

/** `id_number` is encrypted and never shown, unlike `masked`. */
export const documents = t.table('customer_documents', {
  customer_id: t.text<Id>(),
  id_type: t.text<IdType>(),
  id_number: t.bytes(),
  masked: t.text(),
  status: t.text<IdentityDocument['status']>(),
  failure_reason: t.nullable(t.text<NonNullable<IdentityDocument['failure_reason']>>()),
  rail: t.nullable(t.text()),
  bank_account: t.nullable(t.bytes()),
  sent_at: t.defaulted(t.nullable(t.time())),
  accepted_at: t.defaulted(t.nullable(t.time())),
  verified_at: t.nullable(t.time()),
  review_id: t.defaulted(t.nullable(t.text<Id>())),
  review_reason: t.defaulted(t.nullable(t.text<ReviewReason>())),
  review_since: t.defaulted(t.nullable(t.time())),
  reviewed_at: t.defaulted(t.nullable(t.time())),
  reviewed_by: t.defaulted(t.nullable(t.text())),
  review_note: t.defaulted(t.nullable(t.text())),
  created_at: t.time(),
  updated_at: t.time(),
})

/**
 * Replaces the document of the type. No row: a failure would replace a verified one, so nothing
 * changed.
 */
export const replaceDocument = `(business_id, livemode, customer_id, id_type) do update
     set id_number = excluded.id_number, masked = excluded.masked, status = excluded.status,
         failure_reason = excluded.failure_reason, verified_at = excluded.verified_at, updated_at = excluded.updated_at,
         review_id = excluded.review_id, review_reason = excluded.review_reason, review_since = excluded.review_since,
         reviewed_at = null, reviewed_by = null, review_note = null,
         rail = excluded.rail, bank_account = excluded.bank_account, sent_at = null, accepted_at = null
   where customer_documents.status = 'failed' or excluded.status = 'verified'`

export type DocumentRow = t.RowOf<typeof documents>
const documentColumns = t.columnsOf(documents)

export const lockDocument = sql<DocumentRow>(
  'customers.lock_document',
  `select ${documentColumns} from customer_documents
    where business_id = $1 and livemode = $2 and customer_id = $3 and id_type = $4 for update`,
)

/** Documents pending at a rail, and failed ones, which the rail may still verify. */
export const selectWithRail = sql<DocumentRow>(
  'customers.select_with_rail',
  `select ${documentColumns} from customer_documents
    where business_id = $1 and livemode = $2 and customer_id = $3 and rail is not null
      and (status = 'pending' or (status = 'failed' and $4))
    order by id_type`,
)

export const updateDocument = sql<DocumentRow>(
  'customers.update_document',
  `update customer_documents
      set status = $5, failure_reason = $6, verified_at = $7, updated_at = $8, bank_account = null
    where business_id = $1 and livemode = $2 and customer_id = $3 and id_type = $4
   returning ${documentColumns}`,
)

/** The caller then sends the document; null: it was certainly not sent. */
export const markSent = sql<{ sent: boolean }>(
  'customers.mark_document_sent',
  `update customer_documents set sent_at = $5, accepted_at = null
    where business_id = $1 and livemode = $2 and customer_id = $3 and id_type = $4 and status = 'pending'
      and sent_at is not distinct from $6
   returning true as sent`,
)

export const markAccepted = sql(
  'customers.mark_document_accepted',
  `update customer_documents set accepted_at = coalesce(accepted_at, $5)
    where business_id = $1 and livemode = $2 and customer_id = $3 and id_type = $4 and status = 'pending'`,
)

/** Ends a document's review. */
export const endReviewed = sql<DocumentRow>(
  'customers.end_reviewed',
  `update customer_documents
      set status = $5, failure_reason = $6, verified_at = $7, updated_at = $8, reviewed_at = $8, reviewed_by = $9, review_note = $10
    where business_id = $1 and livemode = $2 and customer_id = $3 and id_type = $4
   returning ${documentColumns}`,
)

export type ReviewRow = {
  id: Id
  business_id: Id
  livemode: boolean
  customer_id: Id
  customer_name: string
  customer_type: Customer['type']
  id_type: IdType
  masked: string
  status: IdentityDocument['status']
  failure_reason: DocumentRow['failure_reason']
  reason: ReviewReason
  created_at: Date
  reviewed_at: Date | null
  reviewed_by: string | null
  note: string | null
}

/** Includes the reviewer's current email address. */
const reviews = `
  select d.review_id as id, d.business_id, d.livemode, d.customer_id, c.name as customer_name, c.type as customer_type, d.id_type,
         d.masked, d.status, d.failure_reason, d.review_reason as reason, d.review_since as created_at, d.reviewed_at,
         coalesce((select email from persons where persons.id = d.reviewed_by), d.reviewed_by) as reviewed_by, d.review_note as note
    from customer_documents d
    join customers c on c.business_id = d.business_id and c.livemode = d.livemode and c.id = d.customer_id
   where c.deleted_at is null and d.review_id is not null`

/** Of a mode, the longest pending first. */
export const selectWaiting = sqlOfAll<ReviewRow>(
  'customers.select_waiting_reviews',
  `${reviews} and d.status = 'pending' and d.livemode = $2 order by d.review_id limit $1`,
)

/** The newest first. */
export const selectReviewed = sqlOfAll<ReviewRow>(
  'customers.select_reviewed',
  `${reviews} and d.status <> 'pending' and ($2::text is null or d.status = $2) order by d.review_id desc limit $1`,
)

export const selectReview = sqlOfAll<ReviewRow>(
  'customers.select_review',
  `${reviews} and d.review_id = $1`,
)

export const selectVerified = sql<VerifiedIdentityDocument>(
  'customers.select_verified',
  `select id_type, masked as id_number, verified_at, status, failure_reason, null as review, created_at, updated_at
     from customer_documents
    where business_id = $1 and livemode = $2 and customer_id = $3 and status = 'verified'
    order by created_at, id_type`,
)

/** Updates a customer's status from its documents. */
export const updateKycStatus = sql<{ kyc_status: KycStatus }>(
  'customers.update_kyc_status',
  `update customers
      set kyc_status = found.status, updated_at = $4
     from (select case when 'verified' = any (array_agg(status)) then 'verified'
                       when bool_and(status = 'failed') then 'rejected'
                       else 'none' end as status
             from customer_documents where business_id = $1 and livemode = $2 and customer_id = $3) as found
    where business_id = $1 and livemode = $2 and id = $3 and kyc_status <> found.status
   returning kyc_status`,
)

export const selectHasVerified = sql<{ found: boolean }>(
  'customers.has_verified',
  `select exists (
     select from customer_documents d
       join customers c on c.business_id = d.business_id and c.livemode = d.livemode and c.id = d.customer_id
      where d.business_id = $1 and d.livemode = $2 and d.customer_id = $3 and d.id_type = any($4::text[])
        and d.status = 'verified' and c.deleted_at is null) as found`,
)

// Erasure
// -------------------------------------------------------------------------------------------------

export type WholeRow = CustomerRow & { deleted_at: Date | null; erased_at: Date | null }

/**
 * Also a deleted one. Excludes transactions that create records for the customer, which hold its
 * row.
 */
export const lockWhole = sql<WholeRow>(
  'customers.lock_whole',
  `select ${columns}, deleted_at, erased_at from customers where business_id = $1 and livemode = $2 and id = $3 for update`,
)

/** Keeps the row for records that refer to it. */
export const emptyCustomer = sql(
  'customers.empty',
  `update customers
      set name = '', first_name = null, last_name = null, email = '', phone = null, reference = null, address = null, metadata = '{}',
          kyc_status = 'none', deleted_at = coalesce(deleted_at, $4), erased_at = $4, updated_at = $4
    where business_id = $1 and livemode = $2 and id = $3`,
)

export const deleteDocuments = sql(
  'customers.delete_documents',
  'delete from customer_documents where business_id = $1 and livemode = $2 and customer_id = $3',
)

/** Keeps providers' ids, because money that still arrives names the customer by them. */
export const emptyAtProviders = sql(
  'customers.empty_at_providers',
  `update provider_customers set email = '' where business_id = $1 and livemode = $2 and customer_id = $3 and email <> ''`,
)

export type ErasedRow = { business_id: Id; livemode: boolean; id: Id }

/** Of all businesses, in key order. */
export const selectErased = sqlOfAll<ErasedRow>(
  'customers.select_erased',
  `select business_id, livemode, id from customers
    where (business_id, livemode, id) > ($1::text, $2::boolean, $3::text) and erased_at is not null
    order by business_id, livemode, id limit $4`,
)

/** Of all businesses, the longest deleted first. */
export const selectDeleted = sqlOfAll<ErasedRow & { deleted_at: Date }>(
  'customers.select_deleted',
  `select business_id, livemode, id, deleted_at from customers
    where (deleted_at, id) > ($1, $2::text) and deleted_at < $3 and erased_at is null
    order by deleted_at, id limit $4`,
)

// The timeline of a customer
// --------------------------------------------------------------------------------------------

export const selectWithDeleted = sql<WholeRow>(
  'customers.select_with_deleted',
  `select ${columns}, deleted_at, erased_at from customers where business_id = $1 and livemode = $2 and id = $3`,
)

/** Without encrypted columns. At most one of each type. */
export const selectDocuments = sql<
  Pick<
    DocumentRow,
    | 'id_type'
    | 'masked'
    | 'status'
    | 'failure_reason'
    | 'verified_at'
    | 'review_since'
    | 'created_at'
    | 'updated_at'
  >
>(
  'customers.select_documents',
  `select id_type, masked, status, failure_reason, verified_at, review_since, created_at, updated_at from customer_documents
    where business_id = $1 and livemode = $2 and customer_id = $3 order by created_at, id_type`,
)
