import type { Module } from '../../core/module.ts'
import { mailTasks } from './mail.ts'
import { forgetOldMails, personalMails } from './personal.ts'
import { mailRefusals } from './refusals.ts'
import { mailChecks } from './verify.ts'

export const mail = {
  slowTasks: mailTasks,
  periodic: (app) => [
    { name: 'forget old mails', everyMs: 3_600_000, run: () => forgetOldMails(app) },
  ],
  checks: mailChecks,
  refusals: mailRefusals,
  personal: [personalMails],
} satisfies Module
