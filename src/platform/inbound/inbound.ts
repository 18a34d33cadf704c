/**
 * Notifications of payment providers. A notification is a hint: it is stored before it is answered,
 * and then the provider is queried about the record that it names.
 */
export {
  type ApplyResult,
  type Approver,
  applierByReference,
  type InboundApplier,
  type RecordOwner,
} from './appliers.ts'
export { type Delivery, openProviderWebhooks, type ProviderWebhooks } from './receiving.ts'
export {
  findOwner,
  keepProviderId,
  keepReference,
  keepRefundNames,
  queryRecord,
} from './references.ts'
export {
  countUnapplied,
  deleteOldEvents,
  lastNotified,
  latestEvents,
  readEvent,
  replayEvents,
} from './replay.ts'
export type { ProviderEvent } from './sql.ts'
