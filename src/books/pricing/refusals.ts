import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const priceRefusals = refusalsOf({
  plan_name_taken: [409, 'Another plan has this name.'],
})
export const refuse: Refuse<CodeOf<typeof priceRefusals>> = priceRefusals.refuse
