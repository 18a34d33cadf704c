import { momentsOf, type TimelineSource } from '../../core/timeline.ts'
import { verifyTask } from './documents.ts'
import { selectDocuments, selectWithDeleted } from './sql.ts'

export const customerTimeline: TimelineSource = {
  kind: 'customer',
  async read(view, id) {
    const row = await view.row(selectWithDeleted, [id])
    if (!row) return null
    const documents = await view.rows(selectDocuments, [id])
    return {
      status: row.erased_at !== null ? 'erased' : row.deleted_at === null ? 'active' : 'deleted',
      moments: momentsOf([
        {
          at: row.created_at,
          title: 'The customer was saved',
          detail: { type: row.type, reference: row.reference },
        },
        ...documents.flatMap(
          ({ id_type, masked, status, failure_reason, review_since, ...document }) => {
            const detail = { id_type, id_number: masked }
            const ended =
              status === 'verified'
                ? document.verified_at
                : status === 'failed'
                  ? document.updated_at
                  : null
            return [
              { at: document.created_at, title: 'An identity document was given', detail },
              {
                at: review_since,
                title: 'A person of the operator’s looks at the identity document',
                detail,
              },
              {
                at: ended,
                title: `The identity document ${status === 'verified' ? 'was verified' : 'could not be verified'}`,
                ...(status === 'pending' ? {} : { event: `customer.document.${status}` }),
                detail: failure_reason === null ? detail : { ...detail, failure_reason },
              },
            ]
          },
        ),
        { at: row.deleted_at, title: 'The customer was deleted: the records of its money stay' },
        {
          at: row.erased_at,
          title: 'What was kept of the customer as a person was erased',
          event: 'customer.erased',
        },
      ]),
    }
  },
  jobs: { [verifyTask]: 'The provider is to be asked about an identity document' },
}
