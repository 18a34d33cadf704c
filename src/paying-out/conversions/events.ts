import { eventOf } from '../../core/module.ts'
import { newId } from '../../lib/ids.ts'
import { sampleBase } from '../../platform/events/events.ts'
import { ConversionRecord } from './schema.ts'

/** The event types of conversions. */
export const conversionEvents = {
  'conversion.completed': eventOf(
    'Money went from one of your wallets into the other.',
    ConversionRecord,
    (scope) => ({
      ...sampleBase(scope),
      quote: newId(scope.now),
      reference: null,
      amount: 155_000_000n,
      fee: 775_000n,
      ...({ currency: 'ngn', destination_currency: 'usd', rate_source: 'table' } as const),
      fee_breakdown: [{ type: 'fx' as const, amount: 775_000n }],
      rate_fetched_at: null,
      rate_valid_until: null,
      rate: '0.00064516129',
      destination_amount: 99_499n,
      transaction: newId(scope.now),
      destination_transaction: newId(scope.now),
    }),
  ),
}
