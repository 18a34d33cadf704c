import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const screeningRefusals = refusalsOf({
  outgoing_held: [
    409,
    'What is held may have been sent since the backup that the server was restored from.',
  ],
  review_decided: [409, 'The review is no longer pending: it was decided already, or has ended.'],
  screening_entry_exists: [409, 'The list has this entry already.'],
})
export const refuse: Refuse<CodeOf<typeof screeningRefusals>> = screeningRefusals.refuse
