import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { payoutRefusals } from '../../paying-out/payouts/payouts.ts'

export const refundRefusals = refusalsOf(
  {
    payment_not_refundable: [400, 'Nothing of the payment can be refunded.'],
    refund_too_large: [400, 'The refund is larger than what is left of the payment.'],
    refund_in_progress: [409, 'A refund of the payment is in progress.'],
    refund_not_simulated: [400, 'The refund moves on a real test network, or goes by a payout.'],
    refund_not_completed: [400, 'The refund has not arrived, so it cannot come back.'],
    refund_already_final: [400, 'The refund has reached an end state.'],
    refund_under_review: [400, 'Screening holds the refund.'],
    destination_required: [400, 'The payer’s account is not known; name a destination.'],
  },
  walletRefusals,
  payoutRefusals,
)
export const refuse: Refuse<CodeOf<typeof refundRefusals>> = refundRefusals.refuse
