import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { erased } from '../../platform/customer-keys/customer-keys.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { CustomerDocumentRecord, ErasedCustomer } from './schema.ts'

/** Event types of identity documents: each carries the document. */
export const documentEvents = {
  'customer.document.verified': documentEvent(
    'An identity document of a customer was verified.',
    'verified',
  ),
  'customer.document.failed': documentEvent(
    'An identity document of a customer could not be verified.',
    'failed',
  ),
}

function documentEvent(
  meaning: string,
  status: 'verified' | 'failed',
): EventDeclaration<typeof CustomerDocumentRecord> {
  return eventOf(
    meaning,
    CustomerDocumentRecord,
    ({ livemode, now }) => ({
      customer: newId(now),
      id_type: 'bvn',
      id_number: '*******6789',
      status,
      failure_reason: status === 'failed' ? 'mismatch' : null,
      verified_at: status === 'verified' ? now : null,
      review: null,
      livemode,
      metadata: {},
      created_at: now,
      updated_at: now,
    }),
    { id_number: erased, metadata: {} },
  )
}

/** The event of an erased customer, without personal data. */
export const erasureEvents = {
  'customer.erased': eventOf(
    'What was kept of a customer as a person is erased: erase your copies too.',
    ErasedCustomer,
    (scope) => ({ ...sampleBase(scope), erased_at: scope.now }),
  ),
}
