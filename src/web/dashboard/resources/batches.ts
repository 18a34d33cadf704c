/**
 * Batches of payouts: a file is read, checked as a draft that names each bad line, confirmed, and
 * looked at while it is made.
 */
import type { AnswerOf, BodyOf } from '../../../core/operations.ts'
import { dayOf } from '../../../lib/days.ts'
import { html } from '../../../lib/html.ts'
import { asCurrency } from '../../../lib/money.ts'
import { randomText } from '../../../lib/secrets.ts'
import { bankOrdersSection } from '../batches/bank-orders.ts'
import { linesOf, templateLinks } from '../batches/batch-file.ts'
import {
  badSection,
  failedSection,
  recipientOf,
  recipientsSection,
  whyFailed,
} from '../batches/batch-lines.ts'
import { linesOfBatch, madeOf, payoutsOf } from '../batches/batch-progress.ts'
import { payingOut } from '../readiness.ts'
import { linkTo } from '../related.ts'
import type { Action, NoRecord, Resource } from '../resource.ts'
import { cells } from '../tables.ts'
import { en, many, wordOf } from '../view/strings.ts'

type PayoutBatch = AnswerOf<'getPayoutBatch'>
type BatchForm = {
  currency: BodyOf<'createPayoutBatch'>['currency']
  csv: string
  reference: string
  description?: string
}

const create: Action<'createPayoutBatch', NoRecord, BatchForm> = {
  name: 'new',
  title: 'New batch',
  confirm: 'Check file',
  operation: 'createPayoutBatch',
  needs: payingOut,
  takesFile: 'csv',
  intro: templateLinks,
  fields: async (seen) => [
    {
      name: 'currency',
      label: 'From your wallet',
      kind: 'select',
      required: true,
      options: (await seen.api.listWallets()).map(({ currency, available }) => [
        currency,
        `${wordOf(currency)}: ${seen.show.money(available, currency)} available`,
      ]),
    },
    {
      name: 'csv',
      label: 'The file, as CSV or pain.001',
      kind: 'area',
      required: true,
      file: true,
      hint: 'Choose a UTF-8 text file, or paste its content: a header row and up to 10,000 lines. Columns: amount, with bank_code and account_number, or beneficiary, or chain, currency and address. Optional: reference and description. Write amounts as 1500 or 1500.50, all in the same way. Or payment orders of ISO 20022 as your accounting program exports them: pain.001.001.09.',
    },
    {
      name: 'reference',
      label: 'Reference',
      kind: 'text',
      required: true,
      maxLength: 90,
      hint: 'Your own name for it, to find it by.',
    },
    {
      name: 'description',
      label: 'Description',
      kind: 'text',
      maxLength: 500,
      hint: 'Only your team sees it.',
    },
  ],
  start: (_doc, { ctx, show }) => ({
    reference: `batch-${dayOf(ctx.scope.now, show.timeZone)}-${randomText(6)}`,
  }),
  input: ({ body: { csv, ...body } }, { show }) => ({
    body: { ...body, dry_run: true, lines: linesOf(csv, show.locale, asCurrency(body.currency)) },
  }),
  done: 'File checked. Nothing is paid until you confirm.',
}

const confirm: Action<'confirmPayoutBatch', PayoutBatch> = {
  name: 'confirm',
  title: 'Confirm',
  leads: true,
  confirm: 'Create payouts',
  operation: 'confirmPayoutBatch',
  needs: payingOut,
  when: ({ status }) => status === 'draft',
  fields: (_seen, { counts }) =>
    counts.bad > 0
      ? [
          {
            name: 'skip_bad',
            label: `Leave out ${many(String(counts.bad), 'line', 'lines')} that cannot be paid`,
            kind: 'check',
          },
        ]
      : [],
  foresee: (
    { doc: { id, currency, amount, fee, available, counts, sufficient_funds } },
    { show, base },
  ) => ({
    lines: [
      html`<strong>${show.money(amount, currency)}</strong> leaves your ${wordOf(currency)} wallet, which has ${show.money(available, currency)} available, and ${show.money(available - amount, currency)} then.`,
      `Creates ${many(show.number(counts.waiting), 'payout', 'payouts')}, with fees of ${show.money(fee, currency)}.`,
      html`<a href="${base}/payout-batches/${id}/lines">See all recipients</a> by name, bank and account.`,
      ...(counts.bad > 0
        ? [`${many(show.number(counts.bad), 'line is', 'lines are')} skipped and not paid.`]
        : []),
      'They are sent one after another. Payouts above a limit wait for a second person.',
    ],
    warnings: sufficient_funds
      ? []
      : [en.tooMuch(wordOf(currency), show.money(available, currency))],
    blocked: !sufficient_funds,
  }),
  done: 'Creating the payouts.',
}

const mostListed = 20

const retry: Action<'retryPayoutBatch', PayoutBatch> = {
  name: 'retry',
  title: 'Retry failed lines',
  confirm: 'Create draft',
  operation: 'retryPayoutBatch',
  needs: payingOut,
  when: ({ retriable }) => (retriable ?? 0) > 0,
  fields: () => [
    {
      name: 'reference',
      label: 'Reference of the new batch',
      kind: 'text',
      required: true,
      maxLength: 90,
      hint: 'Each payout gets a new reference: this one and the line’s number.',
    },
  ],
  start: ({ reference }) => ({ reference: `${reference.slice(0, 76)}-again-${randomText(6)}` }),
  async foresee({ doc }, { api, show }) {
    const { docs } = await api.listPayoutBatchLines({
      params: { id: doc.id },
      query: { failed: true, limit: 100 },
    })
    const again = docs.filter(({ retriable }) => retriable)
    const rest = (doc.retriable ?? 0) - Math.min(again.length, mostListed)
    return {
      lines: [
        `${many(show.number(doc.retriable ?? 0), 'line becomes', 'lines become')} a new draft. Nothing is paid until you confirm it.`,
        ...again
          .slice(0, mostListed)
          .map(
            (line) =>
              html`${show.money(line.amount ?? 0, doc.currency)} to ${recipientOf(line)}, which failed: ${whyFailed(line)}`,
          ),
        ...(rest > 0 ? [`And ${show.number(rest)} more.`] : []),
      ],
      warnings: again.some(({ failure_reason: reason }) => reason === 'invalid_account')
        ? ['A line with a wrong account fails again. Correct it in a new file.']
        : [],
    }
  },
  leadsTo: ({ id }) => `/payout-batches/${id}`,
  done: 'Draft created. Check the recipients: nothing is paid until you confirm.',
}

const cancel: Action<'cancelPayoutBatch', PayoutBatch> = {
  name: 'cancel',
  title: 'Cancel remaining lines',
  operation: 'cancelPayoutBatch',
  danger: true,
  when: ({ status }) => status === 'draft' || status === 'running',
  foresee: ({ doc: { counts } }, { show }) => ({
    lines: [
      `${many(show.number(counts.waiting), 'payout is', 'payouts are')} not made.`,
      counts.created > 0
        ? `${many(show.number(counts.created), 'payout was', 'payouts were')} already created and ${counts.created === 1 ? 'does' : 'do'} not change. You can cancel each while it is pending.`
        : 'No money moves: no payout was created yet.',
    ],
  }),
  done: 'Batch canceled. It creates no more payouts.',
}

export const batches: Resource<PayoutBatch> = {
  path: 'payout-batches',
  title: 'Batches',
  one: 'batch',
  more: 'batches',
  group: 'out',
  list: 'listPayoutBatches',
  get: 'getPayoutBatch',
  key: 'id',
  tabs: 'status',
  about:
    'A batch is a file of payouts. Bursar checks each line and shows the errors, and you confirm it.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Lines',
      cell: ({ counts }, { show }) => many(show.number(counts.lines), 'line', 'lines'),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Reference', cell: cells.text('reference'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: ({ reference }) => `Batch ${reference}`,
  status: ({ status }) => status,
  rows: (doc, seen) => {
    const { show } = seen
    return [
      doc.status === 'running' && ['Made', madeOf(doc, seen)],
      ['Lines', linesOfBatch(doc, seen)],
      (doc.counts.created > 0 || doc.status === 'running') && ['Payouts', payoutsOf(doc, seen)],
      ['Pays again what failed of', linkTo(seen, 'payout-batches', doc.retry_of, 'another batch')],
      ['Fees', show.money(doc.fee, doc.currency)],
      doc.status === 'draft' && [
        'Wallet afterwards',
        `${show.money(doc.available - doc.amount, doc.currency)}${doc.sufficient_funds ? '' : ': it does not have that much available'}`,
      ],
      ['Reference', html`<bdi>${doc.reference}</bdi>`],
      ['Description', doc.description && html`<bdi>${doc.description}</bdi>`],
      ['Ended', doc.ended_at && show.time(doc.ended_at)],
    ]
  },
  sections: [failedSection, badSection, recipientsSection, bankOrdersSection],
  actions: [confirm, retry, cancel],
  create,
}
