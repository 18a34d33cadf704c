import type { Module } from '../../core/module.ts'
import { invoiceEvents } from './events.ts'
import { invoiceTasks, mailTasks } from './mailing.ts'
import { personalInvoices } from './personal.ts'
import { invoiceRefusals } from './refusals.ts'
import { invoiceRoutes } from './routes.ts'
import { invoiceTimeline } from './timeline.ts'
import { invoiceChecks } from './verify.ts'

export const invoices = {
  routes: invoiceRoutes,
  tasks: invoiceTasks,
  slowTasks: mailTasks,
  checks: invoiceChecks,
  events: invoiceEvents,
  refusals: invoiceRefusals,
  timelines: [invoiceTimeline],
  personal: [personalInvoices],
} satisfies Module
