import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const mailRefusals = refusalsOf({
  smtp_not_configured: [400, 'No SMTP server is configured.'],
})
export const refuse: Refuse<CodeOf<typeof mailRefusals>> = mailRefusals.refuse
