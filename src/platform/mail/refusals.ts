import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'

export const mailRefusals = refusalsOf({
  smtp_not_configured: [400, 'No SMTP server is configured.'],
  too_many_mails: [429, 'The recipient was sent as many mails as may be asked for in a day.'],
})
export const refuse: Refuse<CodeOf<typeof mailRefusals>> = mailRefusals.refuse
