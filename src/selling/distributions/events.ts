import { eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { DistributionRecord } from './schema.ts'

const sampleDestination = {
  currency: 'ngn',
  country: 'ng',
  bank_code: '058',
  bank_name: 'Guaranty Trust Bank',
  account_number: '0123456789',
} as const

/** The event types of distributions: each carries the distribution. */
export const distributionEvents = {
  'distribution.destination_changed': eventOf(
    'Where a share is paid was named, changed or taken away.',
    DistributionRecord,
    (scope) => ({
      ...sampleBase(scope),
      name: 'Shoemaker and rider',
      ...({ currency: 'ngn', settlement_currency: 'ngn' } as const),
      active: true,
      shares: [
        {
          id: newId(scope.now),
          name: 'Shoemaker',
          percentage_bps: 6_000,
          flat_amount: null,
          destination: sampleDestination,
          destination_changed_at: scope.now,
          destination_changed_by: {
            type: 'key',
            id: newId(scope.now),
            hint: 'sk_test_…x7Qd',
          } as const,
          destination_usable_from: scope.now,
          accrued: 0n,
          settled: 0n,
          removed: false,
        },
      ],
    }),
  ),
}
