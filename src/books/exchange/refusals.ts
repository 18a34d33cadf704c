import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const exchangeRefusals = refusalsOf({
  rate_unavailable: [400, 'There is no rate for the two currencies, or none that is young enough.'],
  exchange_limit_exceeded: [
    403,
    'The operator’s server would be short of more of the currency than its operator lets it.',
  ],
})
export const refuse: Refuse<CodeOf<typeof exchangeRefusals>> = exchangeRefusals.refuse
