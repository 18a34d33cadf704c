import { type EventDeclaration, eventOf } from '../../core/module.ts'
import { later } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { erased } from '../../platform/customer-keys/customer-keys.ts'
import { sampleBase } from '../../platform/events/events.ts'
import type { VirtualAccount } from './record.ts'
import { AccountRecord } from './schema.ts'

/** The event types of virtual accounts that were `pending`: each carries the account. */
export const accountEvents = {
  'virtual_account.activated': accountEvent('A virtual account that was pending has its number.', {
    status: 'active',
    failure_reason: null,
    provider_reference: '48213',
    account_number: '9930000738',
    bank_name: 'Wema Bank',
    bank_code: '035',
  }),
  'virtual_account.failed': accountEvent('A virtual account that was pending is not opened.', {
    status: 'failed',
    failure_reason: 'rejected',
    provider_reference: null,
    account_number: null,
    bank_name: null,
    bank_code: null,
  }),
}

type End = Pick<
  VirtualAccount,
  'status' | 'failure_reason' | 'provider_reference' | 'account_number' | 'bank_name' | 'bank_code'
>

function accountEvent(meaning: string, end: End): EventDeclaration<typeof AccountRecord> {
  return eventOf(
    meaning,
    AccountRecord,
    (scope) => ({
      ...sampleBase(scope),
      created_at: later(scope.now, -60_000),
      reference: 'account-0001',
      customer: newId(scope.now),
      payment: null,
      currency: 'ngn',
      kind: 'static',
      amount: null,
      expires_at: null,
      account_name: 'Ada Okafor',
      routing_number: null,
      ...end,
    }),
    { account_name: erased },
  )
}
