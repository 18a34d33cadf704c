/**
 * The ways to pay: a card, a bank transfer, crypto.
 */
import { type Html, html, type Part } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import { type CardField, faultsOfField, fieldOf } from './cards.ts'
import { cryptoSection } from './crypto.ts'
import { brandMarks, connection } from './marks.ts'
import type { PaymentPage } from './model.ts'
import { copyable, field, form, notice, reach, waiting } from './parts.ts'
import { brandName, type Strings, wordFor } from './strings.ts'

/** The form of the selected method, or what there is to wait for. */
export function methodSection(t: Strings, page: PaymentPage): Html {
  if (page.method === 'card') return cardSection(t, page)
  if (page.method === 'bank_transfer') return transferSection(t, page)
  return cryptoSection(t, page)
}

function cardSection(t: Strings, page: PaymentPage): Html {
  const { card } = page
  const used =
    card.last4 !== null &&
    html`<p class="small">${t.card.ending(brandName(t, card.brand), card.last4)}</p>`
  if (card.state === 'processing')
    return html`<section class="busy" aria-labelledby="way"><span class="spin" aria-hidden="true"></span>
<h2 id="way">${t.card.processing}</h2><p>${t.card.processingMeans}</p>${used}</section>`
  if (card.state === 'challenge')
    return html`<section class="way" aria-labelledby="way"><div><h2 id="way">${t.card.challenge}</h2>
<p>${t.card.challengeMeans((card.amount ?? page.due).formatted, page.business)}</p>${used}</div>
${form(
  `${page.path}/challenge`,
  page.token,
  html`<button name="answer" value="approve">${t.card.approve}</button>
<button class="second" name="answer" value="reject">${t.card.reject}</button>`,
)}</section>`
  if (card.state === 'starting')
    return html`<section class="busy" aria-labelledby="way"><span class="spin" aria-hidden="true"></span>
<h2 id="way">${t.leave.starting}</h2><p>${t.leave.startingMeans}</p></section>`
  if (card.state === 'confirming')
    return html`<section class="busy" aria-labelledby="way"><span class="spin" aria-hidden="true"></span>
<h2 id="way">${t.leave.away}</h2><p>${t.leave.confirmingMeans}</p><p class="small">${t.updatesItself}</p></section>`
  if (card.state === 'away') return awaySection(t, page)
  if (card.state === 'leave') return leaveSection(t, page)
  if (card.state === 'closed')
    return html`<section class="way" aria-labelledby="way"><h2 id="way">${t.card.title}</h2>
${notice('warning', 'closed', [t.card.closed(page.business), reach(t, page.brand)])}</section>`
  return cardForm(t, page)
}

const declined = (t: Strings, failure: string): Html =>
  notice('error', 'card-error', wordFor(t.card.failures, failure) ?? t.card.failures.declined)

/** The way to the provider's page, on which the card is typed. */
function leaveSection(t: Strings, page: PaymentPage): Html {
  const { card, path, token, due } = page
  return html`<section class="way" aria-labelledby="way">
<div><h2 id="way">${t.card.title}</h2><p class="small">${t.leave.intro}</p></div>
${brandMarks(t, page)}
${card.failure !== null && declined(t, card.failure)}
${form(
  `${path}/leave`,
  token,
  html`${payerField(t, page)}<button class="pay" data-busy="${t.leave.leaving}">${t.pay(due.formatted)}</button>`,
  card.failure !== null && html` aria-describedby="card-error"`,
)}${connection(t, page)}</section>`
}

/** The payer is there, or was: nobody here knows before the provider says so. */
function awaySection(t: Strings, { card, path, token }: PaymentPage): Html {
  const words = t.leave
  const again = (label: string): Html =>
    form(`${path}/leave`, token, html`<button data-busy="${words.leaving}">${label}</button>`)
  if (card.failure !== null)
    return html`<section class="way" aria-labelledby="way"><h2 id="way">${t.card.title}</h2>
${declined(t, card.failure)}${again(words.again)}</section>`
  return html`<section class="way" aria-labelledby="way"><h2 id="way">${words.away}</h2>
${waiting(t, words.awayMeans)}<p class="small">${words.awayGo}</p>${again(words.openPage)}</section>`
}

function cardForm(t: Strings, page: PaymentPage): Html {
  const { card, path, token, due } = page
  const words = t.card
  const { failure, faults } = card
  const alert = failure !== null
  const cardField = (name: CardField, label: Part, attributes: Html): Html => {
    const fault = faults.find((one) => fieldOf(one) === name)
    const said = faultsOfField[name].map((one) => [one, words.faults[one]])
    return field({
      name,
      label,
      // The server has forgotten the number and the code, and cannot fill them in.
      hint: faults.length > 0 && fault === undefined && name !== 'expiry' ? words.again : null,
      error: fault === undefined ? null : words.faults[fault],
      attributes: html`${attributes} data-digits="${name}" data-faults="${JSON.stringify(Object.fromEntries(said))}"`,
      focus: faults.length > 0 && name === 'number',
    })
  }
  return html`<section class="way" aria-labelledby="way"><div class="titled"><h2 id="way">${words.title}</h2>${brandMarks(t, page)}</div>
${alert && notice('error', 'card-error', wordFor(words.failures, failure) ?? words.failures.declined)}
${form(
  `${path}/card`,
  token,
  html`${cardField(
    'number',
    words.number,
    html`inputmode="numeric" autocomplete="cc-number" maxlength="30" required
placeholder="${words.numberExample}"`,
  )}
<div class="pair">${cardField(
    'expiry',
    html`${words.expiry} <small>${words.expiryFormat}</small>`,
    html`inputmode="numeric" autocomplete="cc-exp" maxlength="9" required value="${card.expiry}" data-earliest="${card.earliest}"`,
  )}
${cardField(
  'cvc',
  words.cvc,
  html`inputmode="numeric" autocomplete="cc-csc" maxlength="4" required
placeholder="${words.cvcExample}"`,
)}</div>
<button class="pay" data-busy="${words.paying}">${t.pay(due.formatted)}</button>`,
  alert && html` aria-describedby="card-error"`,
)}${connection(t, page)}</section>`
}

/** Asks for the payer's address, where whoever takes the money needs one. */
function payerField(t: Strings, { payer }: PaymentPage): Html | false {
  const { title, hint, known, wrong } = t.payerEmail
  if (!payer.asked) return payer.email !== null && html`<p class="small">${known(payer.email)}</p>`
  return field({
    name: 'email',
    label: title,
    hint,
    error: payer.wrong ? wrong : null,
    focus: payer.wrong,
    attributes: html`type="email" autocomplete="email" maxlength="254" required`,
  })
}

function transferSection(t: Strings, page: PaymentPage): Html {
  const { transfer, transferNews, path, token } = page
  const words = t.transfer
  if (transferNews === 'opening')
    return html`<section class="way" aria-labelledby="way">
<div><h2 id="way">${words.title}</h2><p class="small">${words.intro}</p></div>
${waiting(t, words.opening)}</section>`
  if (transfer === null)
    return html`<section class="way" aria-labelledby="way">
${transferNews === 'unavailable' && notice('error', 'unavailable', words.unavailable)}
<div><h2 id="way">${words.title}</h2><p class="small">${words.intro}</p></div>
${form(
  `${path}/transfer`,
  token,
  html`${payerField(t, page)}<button data-busy="${words.starting}">${words.start}</button>`,
)}</section>`
  const { amount, accountNumber, accountName, bankName, routingNumber } = transfer
  return html`<section class="way" aria-labelledby="way">
${transfer.returned && notice('error', 'returned', words.returned(amount.formatted))}
${transferNews === 'sent_back' && notice('error', 'sent-back', words.sentBack(amount.formatted))}
<div><h2 id="way">${words.send(amount.formatted)}</h2><p class="small">${words.once}</p></div>
<dl class="copyables">${copyable(t, words.amount, amount.formatted, decimalOf(amount.amount), 'figures')}
${copyable(t, words.accountNumber, accountNumber, accountNumber, 'figures')}
${routingNumber !== null && copyable(t, words.routingNumber, routingNumber, routingNumber, 'figures')}
<div class="copyable"><dt>${words.bank}</dt><dd><span class="value"><bdi>${bankName}</bdi></span></dd></div>
${copyable(t, words.accountName, accountName, accountName)}</dl>
${waiting(t, words.waiting)}</section>`
}
