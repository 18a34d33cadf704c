import type { Module } from '../../core/module.ts'
import { mailTasks } from './mail.ts'
import { personalMails } from './personal.ts'
import { mailRefusals } from './refusals.ts'
import { mailChecks } from './verify.ts'

export const mail = {
  slowTasks: mailTasks,
  checks: mailChecks,
  refusals: mailRefusals,
  personal: [personalMails],
} satisfies Module
