import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const collectionRefusals = refusalsOf({
  collection_canceled: [400, 'The collection has been canceled.'],
  collection_full: [
    400,
    'The collection has taken as many payments as it may, or others are paying for all that is left.',
  ],
})
export const refuse: Refuse<CodeOf<typeof collectionRefusals>> = collectionRefusals.refuse
