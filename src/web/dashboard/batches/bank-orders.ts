/** A batch as a file that the business's own bank pays. */
import type { AnswerOf } from '../../../core/operations.ts'
import { html } from '../../../lib/html.ts'
import type { BusinessPage } from '../place.ts'
import type { Section } from '../resource.ts'
import { type Field, field } from '../view/parts.ts'

type PayoutBatch = AnswerOf<'getPayoutBatch'>

const words = {
  title: 'Have your own bank pay it',
  about:
    'Download the lines that are not paid here as payment orders (ISO 20022 pain.001), and upload them at your bank. Do not retry these lines here as well.',
  draft:
    'Cancel this draft first. Otherwise somebody could confirm it here, and recipients would be paid twice.',
  download: 'Download pain.001',
}

const account: Field = {
  name: 'debtor_account',
  label: 'Account at your bank',
  kind: 'text',
  required: true,
  maxLength: 34,
  hint: 'An IBAN, or the account number.',
}
const bank: Field = {
  name: 'debtor_bank',
  label: 'Your bank',
  kind: 'text',
  maxLength: 35,
  hint: 'Its BIC or bank code.',
}

/** A form with what the bank needs to know, for the lines that no payout pays. */
export const bankOrdersSection: Section<PayoutBatch> = {
  title: words.title,
  content({ id, status, counts: { lines, created, bad } }, { base }) {
    if (status === 'running' || lines - created - bad === 0) return false
    if (status === 'draft') return html`<p>${words.about} ${words.draft}</p>`
    return html`<p>${words.about}</p>
<form method="get" action="${base}/payout-batches/${id}/pain001">
${field(account)}${field(bank)}
<div class="buttons"><button class="second">${words.download}</button></div></form>`
  },
}

export const bankOrdersPage: BusinessPage = {
  method: 'GET',
  path: '/payout-batches/{key}/pain001',
  async handler({ file, request }) {
    const { debtor_account: account, debtor_bank: bank } = request.query
    const content = await file('exportPayoutBatch', {
      params: { id: request.params.key ?? '' },
      query: {
        debtor_account: account?.trim() ?? '',
        ...(bank?.trim() && { debtor_bank: bank.trim() }),
      },
    })
    return { file: content, contentType: 'text/xml; charset=utf-8', name: 'payments.xml' }
  },
}
