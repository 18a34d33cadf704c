import { exchangeRefusals } from '../../books/exchange/exchange.ts'
import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { destinationRefusals } from '../../platform/destinations/destinations.ts'
import { makerRefusals } from '../../platform/team/team.ts'
import { beneficiaryRefusals } from '../beneficiaries/beneficiaries.ts'
import { limitRefusals } from '../limits/limits.ts'

export const payoutRefusals = refusalsOf(
  {
    quote_not_found: [400, 'The quote does not exist for this business and mode.'],
    quote_expired: [400, 'The quote has expired.'],
    quote_used: [400, 'The quote has priced another payout.'],
    quote_mismatch: [400, 'The payout differs from its quote.'],
    payout_not_cancelable: [400, 'The payout has left the pending state.'],
    payout_not_simulated: [400, 'The payout moves on a real test network.'],
    payout_not_completed: [400, 'The payout has not arrived, so it cannot come back.'],
    payout_not_waiting: [400, 'The payout waits for no approval, or not any more.'],
    payout_not_approved: [400, 'The payout waits for a second person, and goes nowhere before.'],
    payout_under_review: [
      400,
      'Screening holds the payout, and it goes nowhere before a person has released it.',
    ],
    payout_already_final: [400, 'The payout has reached an end state.'],
  },
  exchangeRefusals,
  walletRefusals,
  destinationRefusals,
  beneficiaryRefusals,
  limitRefusals,
  makerRefusals,
)
export const refuse: Refuse<CodeOf<typeof payoutRefusals>> = payoutRefusals.refuse
