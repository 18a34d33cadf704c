import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const proofRefusals = refusalsOf({
  proofs_off: [409, 'The server signs no proofs: its operator has set no PROOF_KEY.'],
  receipt_not_ready: [
    409,
    'The day (UTC) whose proof it needs is not over: `day_ends_at` says when it is, and the proof is there a minute later.',
  ],
  nothing_posted: [
    409,
    'No posting of the transaction is here: it moved nothing, or its period was moved elsewhere, where its receipt is.',
  ],
})
export const refuse: Refuse<CodeOf<typeof proofRefusals>> = proofRefusals.refuse
