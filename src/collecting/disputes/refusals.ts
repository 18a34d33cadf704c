import { walletRefusals } from '../../books/wallets/wallets.ts'
import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const disputeRefusals = refusalsOf(
  {
    payment_not_disputable: [400, 'Nothing of the payment can be disputed.'],
    dispute_amount_too_large: [
      400,
      'The amount is larger than what is left of the dispute, or of what was paid.',
    ],
    dispute_already_closed: [400, 'The dispute has been decided.'],
    dispute_answered: [409, 'The dispute was answered, or its answer is being sent.'],
    dispute_answered_elsewhere: [
      400,
      'The provider takes no answers from this server: answer in its own dashboard.',
    ],
    evidence_incomplete: [400, 'The provider needs more evidence than there is.'],
    dispute_not_simulated: [400, 'The dispute is at a provider, which decides it.'],
    dispute_won: [400, 'The dispute was won: nothing of it is held or taken.'],
    dispute_not_lost: [400, 'The dispute is not lost, so nothing is taken for it.'],
    dispute_held: [409, 'Money is held for the dispute.'],
    dispute_not_held: [400, 'No money is held for the dispute.'],
  },
  walletRefusals,
)
/** @throws {Refusal} always, `not_found` */
export const refuseUnknown = (id: string): never =>
  disputeRefusals.refuse('not_found', `There is no dispute '${id}'.`)

export const refuse: Refuse<CodeOf<typeof disputeRefusals>> = disputeRefusals.refuse
