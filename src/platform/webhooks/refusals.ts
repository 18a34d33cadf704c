import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const webhookRefusals = refusalsOf({
  forbidden_target: [400, 'The webhook URL leads to an address that is not public.'],
  webhook_inactive: [400, 'The webhook endpoint is inactive.'],
  too_many_webhooks: [400, 'The business has as many webhook endpoints as are allowed.'],
})
export const refuse: Refuse<CodeOf<typeof webhookRefusals>> = webhookRefusals.refuse
