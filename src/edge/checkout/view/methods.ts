/**
 * The ways to pay: a card, a bank transfer, crypto.
 */
import { type Html, html, type Part, raw } from '../../../lib/html.ts'
import { decimalOf } from '../../../lib/money.ts'
import { brandMarks, connection } from './cards.ts'
import type { CryptoChoice, PaymentPage } from './model.ts'
import { copyable, field, form, notice } from './parts.ts'
import { brandName, type Strings, wordFor } from './strings.ts'

/** The form of the selected method, or what there is to wait for. */
export function methodSection(t: Strings, page: PaymentPage): Html {
  if (page.method === 'card') return cardSection(t, page)
  if (page.method === 'bank_transfer') return transferSection(t, page)
  return cryptoSection(t, page)
}

const waiting = (t: Strings, text: string): Html =>
  html`<div class="waiting"><span class="spin" aria-hidden="true"></span>
<p>${text}<small>${t.updatesItself}</small></p></div>`

function cardSection(t: Strings, page: PaymentPage): Html {
  const { card } = page
  const used = card.last4 !== null && html`<p class="small">${t.card.ending(brandName(t, card.brand), card.last4)}</p>`
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
${notice('warning', 'closed', t.card.closed(page.business))}</section>`
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
  const { failure } = card
  const words = t.card
  // A code that names a field is shown at the field, not above the form as well.
  const named = failure?.startsWith('invalid_') ? failure.slice('invalid_'.length) : null
  const wrong = new Set<string>(named === null ? card.fields : [...card.fields, named])
  const first = ['number', 'expiry', 'cvc'].find((name) => wrong.has(name))
  const alert = failure !== null && named === null
  const cardField = (name: string, label: Part, attributes: Html): Html =>
    field({
      name,
      label,
      hint: null,
      error: wrong.has(name) ? (wordFor(words.fields, name) ?? null) : null,
      attributes,
      focus: name === first,
    })
  return html`<section class="way" aria-labelledby="way"><div class="titled"><h2 id="way">${words.title}</h2>${brandMarks(t, page)}</div>
${alert && notice('error', 'card-error', wordFor(words.failures, failure) ?? words.failures.declined)}
${form(
  `${path}/card`,
  token,
  html`${cardField(
    'number',
    words.number,
    html`inputmode="numeric" autocomplete="cc-number" maxlength="30" required data-digits="number"
placeholder="${words.numberExample}"`,
  )}
<div class="pair">${cardField(
    'expiry',
    html`${words.expiry} <small>${words.expiryFormat}</small>`,
    html`inputmode="numeric" autocomplete="cc-exp" maxlength="9" required data-digits="expiry"`,
  )}
${cardField(
  'cvc',
  words.cvc,
  html`inputmode="numeric" autocomplete="cc-csc" maxlength="4" required data-digits="cvc"
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
    ...{ name: 'email', label: title, hint, error: payer.wrong ? wrong : null, focus: payer.wrong },
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

/** The networks of a coin. A button is called by both, for who does not see the heading above it. */
function coinChoices(t: Strings, coin: string, choices: CryptoChoice[]): Html {
  const words = t.crypto
  const group = (testnet: boolean): Html | false => {
    const shown = choices.filter((choice) => choice.testnet === testnet)
    const buttons = shown.map(
      ({ id, network }) =>
        html`<button class="second" name="choice" value="${id}"><span class="unseen">${words.coinOn(coin)} </span>
<bdi>${network}</bdi></button>`,
    )
    return shown.length > 0 && html`<div class="networks">${buttons}</div>`
  }
  const tests = group(true)
  return html`<div class="coin"><h3><bdi>${coin}</bdi></h3>${group(false)}
${tests && html`<p class="small">${words.testNetworks}</p>${tests}`}</div>`
}

/** A transfer that a block holds, and that waits for the blocks on top of it. */
export function confirmingSection(t: Strings, { confirming, due }: PaymentPage): Html | null {
  if (confirming === null) return null
  return html`<section class="way" aria-labelledby="seen">
<h2 id="seen">${t.crypto.seen(confirming.formatted)}</h2>
<p>${t.crypto.confirming} ${confirming.covers ? t.crypto.nothingToDo : t.crypto.restLater(due.formatted)}</p>
${waiting(t, t.crypto.confirmingNow)}</section>`
}

function cryptoSection(t: Strings, { crypto, path, token }: PaymentPage): Html {
  const words = t.crypto
  const { chosen } = crypto
  const choices = crypto.choices.filter((choice) => choice.id !== chosen?.id)
  const choose = form(
    `${path}/crypto`,
    token,
    [...new Set(choices.map(({ token }) => token))].map((coin) =>
      coinChoices(
        t,
        coin,
        choices.filter(({ token }) => token === coin),
      ),
    ),
  )
  if (chosen === null)
    return html`<section class="way" aria-labelledby="way">
<div><h2 id="way">${words.title}</h2><p class="small">${words.intro}</p></div>
${choose}</section>`
  const other = html`<details class="fold" id="other">
<summary><span class="toggle">${words.other}</span></summary>${choose}</details>`
  return html`<section class="way" aria-labelledby="way">
<h2 id="way">${words.send(chosen.amount, chosen.token, chosen.network)}</h2>
${notice('warning', 'only', words.only(chosen.token, chosen.network))}
<div class="qr"><div role="img" aria-label="${words.qr}">${raw(chosen.qr)}</div><p class="small">${words.scan}</p></div>
<dl class="copyables">${copyable(t, words.amount, `${chosen.amount} ${chosen.token}`, chosen.amount, 'figures')}
${copyable(t, words.address, chosen.address, chosen.address, 'code')}
<div class="copyable"><dt>${words.network}</dt><dd><span class="value"><bdi>${chosen.network}</bdi></span></dd></div></dl>
${waiting(t, words.waiting)}
${choices.length > 0 && other}</section>`
}
