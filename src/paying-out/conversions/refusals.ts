import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { payoutRefusals } from '../payouts/payouts.ts'

export const conversionRefusals = refusalsOf(
  {
    same_currency: [400, 'Both wallets are the same.'],
    rate_unavailable: [400, 'There is no rate for the two currencies.'],
    conversion_too_small: [400, 'Less than the least amount would arrive.'],
    exchange_limit_exceeded: [
      403,
      'The operator’s server would be short of more of the currency than its operator lets it.',
    ],
  },
  walletRefusals,
  payoutRefusals,
)
export const refuse: Refuse<CodeOf<typeof conversionRefusals>> = conversionRefusals.refuse
