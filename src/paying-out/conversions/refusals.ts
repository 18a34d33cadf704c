import { exchangeRefusals } from '../../books/exchange/exchange.ts'
import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { payoutRefusals } from '../payouts/payouts.ts'

export const conversionRefusals = refusalsOf(
  {
    same_currency: [400, 'Both wallets are the same.'],
    conversion_too_small: [400, 'Less than the least amount would arrive.'],
  },
  exchangeRefusals,
  walletRefusals,
  payoutRefusals,
)
export const refuse: Refuse<CodeOf<typeof conversionRefusals>> = conversionRefusals.refuse
