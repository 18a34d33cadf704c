import type { AnswerOf } from '../../../core/operations.ts'
import { html, type Part } from '../../../lib/html.ts'
import { deadline } from '../deadline.ts'
import type { Visit } from '../place.ts'
import { copied, linkTo } from '../related.ts'
import { actionsOn, type Foreseen, type Resource, type Seen } from '../resource.ts'
import { cells } from '../tables.ts'
import { notice } from '../view/parts.ts'
import { en } from '../view/strings.ts'

type Dispute = AnswerOf<'getDispute'>
const action = actionsOn<Dispute>()
type Evidence = AnswerOf<'getDisputeEvidence'>
const words = en.evidence

/** What became of the answer, or what is to be done for it. */
function stateOf({ status }: Dispute, evidence: Evidence, { show }: Seen): Part {
  const at = evidence.submitted_at ? show.time(evidence.submitted_at) : ''
  if (evidence.status === 'sending') return words.sending
  if (evidence.status === 'sent') return evidence.accepts ? words.accepted(at) : words.sent(at)
  if (status !== 'open') return words.noAnswer
  if (evidence.status === 'refused') return notice('bad', words.refused(evidence.failure ?? ''))
  if (!evidence.by_api) return words.elsewhere
  return evidence.needs.length > 0
    ? `${words.oneAnswer} ${words.needs(namesOf(evidence))}`
    : words.ready
}

const namesOf = ({ needs }: Evidence): string =>
  needs.map((name) => words.fields[name as keyof typeof words.fields].toLowerCase()).join(', ')

async function answerSection(doc: Dispute, seen: Seen): Promise<Part> {
  const { api, allowed, base, request } = seen
  const evidence = await api.getDisputeEvidence({ params: { id: doc.id } })
  const href = `${base}/disputes/${doc.id}`
  const isOpen = doc.status === 'open' && ['draft', 'refused'].includes(evidence.status)
  const canSend = isOpen && evidence.by_api
  const hasAny = evidence.files.length > 0 || evidence.explanation !== null
  return html`${request.query.done === 'evidence' && notice('good', words.savedNotice)}${evidence.status === 'refused' ? stateOf(doc, evidence, seen) : html`<p>${stateOf(doc, evidence, seen)}</p>`}<div class="buttons">${
    canSend &&
    evidence.needs.length === 0 &&
    allowed('submitDisputeEvidence') &&
    html`<a class="button" href="${href}/submit">${titles.submit}</a>`
  }${
    isOpen &&
    allowed('updateDisputeEvidence') &&
    html`<a class="button second" href="${href}/evidence">${hasAny ? words.change : words.add}</a>`
  }<a class="button second" href="${href}/bundle">${words.bundle}</a>${
    canSend &&
    allowed('acceptDispute') &&
    html`<a class="button second danger" href="${href}/accept">${titles.accept}</a>`
  }</div>`
}

const titles = { submit: 'Submit evidence', accept: 'Accept dispute' }

/** What is submitted. */
async function foreseeSubmit(doc: Dispute, { api, show }: Visit): Promise<Foreseen> {
  const { files, needs } = await api.getDisputeEvidence({ params: { id: doc.id } })
  const names = files.map(({ kind }) => words.files[kind].toLowerCase()).join(', ')
  return {
    lines: [
      `Your texts and ${files.length === 0 ? 'no file' : names} go to the provider, with the evidence bundle, for the dispute of ${show.money(doc.amount, doc.currency)}.`,
      'You cannot change the evidence after that.',
    ],
    blocked: needs.length > 0,
    warnings: needs.length > 0 ? [words.needs(needs.join(', '))] : [],
  }
}

export const disputes: Resource<Dispute> = {
  path: 'disputes',
  title: 'Disputes',
  one: 'dispute',
  more: 'disputes',
  group: 'in',
  list: 'listDisputes',
  get: 'getDispute',
  key: 'id',
  exports: 'exportDisputes',
  tabs: 'status',
  about:
    'A dispute is a payment that the payer’s bank takes back until it is decided. It does not move money from your wallet by itself.',
  columns: [
    { title: 'Amount', cell: cells.money('amount') },
    { title: 'Status', cell: cells.status },
    {
      title: 'Evidence due',
      cell: ({ status, evidence_due_at }, seen) =>
        status === 'open' && evidence_due_at && deadline(seen, evidence_due_at),
    },
    { title: 'Created', cell: cells.created },
    { title: 'Reason', cell: cells.text('reason'), less: true },
  ],
  heading: ({ amount, currency }, { show }) => show.money(amount, currency),
  called: () => 'Dispute',
  status: ({ status }) => status,
  rows: (doc, seen) => [
    ['Payment', linkTo(seen, 'payments', doc.payment, en.see('payment'))],
    ['Customer', linkTo(seen, 'customers', doc.customer, en.see('customer'))],
    ['Reason', doc.reason && html`<bdi>${doc.reason}</bdi>`],
    [
      'Evidence due',
      doc.status === 'open' && doc.evidence_due_at && deadline(seen, doc.evidence_due_at),
    ],
    ['On hold in the wallet', doc.held > 0 && seen.show.money(doc.held, doc.currency)],
    ['Taken from the wallet', doc.taken > 0 && seen.show.money(doc.taken, doc.currency)],
    ['Decided', doc.closed_at && seen.show.time(doc.closed_at)],
    ['Provider’s reference', copied(doc.provider_reference)],
    ['Transaction', linkTo(seen, 'transactions', doc.transaction, en.see('transaction'))],
  ],
  sections: [{ title: words.answer, content: answerSection }],
  actions: [
    action({
      name: 'submit',
      title: titles.submit,
      operation: 'submitDisputeEvidence',
      placed: true,
      when: ({ status }) => status === 'open',
      input: ({ doc }) => ({ params: { id: doc.id } }),
      foresee: ({ doc }, visit) => foreseeSubmit(doc, visit),
      done: 'Evidence sent to the provider.',
    }),
    action({
      name: 'accept',
      title: titles.accept,
      operation: 'acceptDispute',
      placed: true,
      danger: true,
      when: ({ status }) => status === 'open',
      input: ({ doc }) => ({ params: { id: doc.id } }),
      foresee: ({ doc }, { show }) => ({
        lines: [
          `The payer keeps ${show.money(doc.amount, doc.currency)}, and the dispute is lost.`,
          'You cannot submit evidence after that.',
        ],
      }),
      done: 'Accepting the dispute.',
    }),
    action({
      name: 'simulate',
      title: 'Simulate the decision',
      operation: 'simulateDisputeEnd',
      simulates: true,
      when: ({ status, livemode }) => status === 'open' && !livemode,
      fields: () => [
        {
          name: 'outcome',
          label: 'It is',
          kind: 'select',
          required: true,
          options: [
            ['won', 'Won'],
            ['lost', 'Lost'],
          ],
        },
      ],
      done: 'Test dispute decided.',
    }),
  ],
}
