/**
 * Paying in stablecoins: which coin on which network, where to send it, and what is seen of it.
 */
import { type Html, html, raw } from '../../../lib/html.ts'
import { logo, logoSymbols } from './coins.ts'
import type { CryptoChoice, PaymentPage } from './model.ts'
import { copyable, form, notice, waiting } from './parts.ts'
import type { Strings } from './strings.ts'

/** More choices than these are folded away. */
const choicesShown = 6

const buttons = (t: Strings, choices: CryptoChoice[]): Html =>
  html`<div class="networks">${choices.map(
    ({ id, token, network }) =>
      html`<button class="second" name="choice" value="${id}">${logo(id)}<span>${t.crypto.coinOn(token)} <bdi>${network}</bdi></span></button>`,
  )}</div>`

/**
 * The choices in their order; those of test networks, which there are in test mode alone, by
 * themselves.
 */
function chooser(t: Strings, choices: CryptoChoice[]): Html {
  const words = t.crypto
  const real = choices.filter(({ testnet }) => !testnet)
  const tests = choices.filter(({ testnet }) => testnet)
  const folds = choices.length > choicesShown
  const rest = folds ? real.slice(choicesShown) : []
  const apart =
    tests.length > 0 && html`<p class="small">${words.testNetworks}</p>${buttons(t, tests)}`
  return html`${real.length > 0 && buttons(t, real.slice(0, choicesShown))}
${
  folds && (rest.length > 0 || tests.length > 0)
    ? html`<details class="fold" id="more"><summary><span class="toggle">${words.more}</span></summary>
<div class="coin">${rest.length > 0 && buttons(t, rest)}${apart}</div></details>`
    : apart && html`<div class="coin">${apart}</div>`
}`
}

/** A transfer that a block holds, and that waits for the blocks on top of it. */
export function confirmingSection(t: Strings, { confirming, due }: PaymentPage): Html | null {
  if (confirming === null) return null
  return html`<section class="way" aria-labelledby="seen">
<h2 id="seen">${t.crypto.seen(confirming.formatted)}</h2>
<p>${t.crypto.confirming} ${confirming.covers ? t.crypto.nothingToDo : t.crypto.restLater(due.formatted)}</p>
${waiting(t, t.crypto.confirmingNow)}</section>`
}

/** Opens a wallet on the phone with everything filled in. Wallets on a desk register no such links. */
function walletLink({ crypto: words }: Strings, link: string | null): Html | null {
  if (link === null) return null
  return html`<div class="wallet"><a class="button" href="${link}">${words.open}</a><p class="small">${words.openMeans}</p></div>`
}

export function cryptoSection(t: Strings, { crypto, path, token }: PaymentPage): Html {
  const words = t.crypto
  const { chosen } = crypto
  const choices = crypto.choices.filter((choice) => choice.id !== chosen?.id)
  const choose = form(`${path}/crypto`, token, chooser(t, choices))
  const drawings = logoSymbols([...crypto.choices, ...(chosen ? [chosen] : [])].map(({ id }) => id))
  if (chosen === null)
    return html`<section class="way" aria-labelledby="way">${drawings}
<div><h2 id="way">${words.title}</h2><p class="small">${words.intro}${crypto.lowestFirst && ` ${words.lowestFirst}`}</p></div>
${crypto.rates.length > 0 && html`<ul class="small">${crypto.rates.map((rate) => html`<li><bdi>${rate}</bdi></li>`)}</ul>`}
${choose}</section>`
  const other = html`<details class="fold" id="other">
<summary><span class="toggle">${words.other}</span></summary>${choose}</details>`
  return html`<section class="way" aria-labelledby="way">${drawings}
<div class="chosen">${logo(chosen.id)}<div><h2 id="way">${words.send(chosen.amount, chosen.token, chosen.network)}</h2><p class="small">${chosen.rate}</p></div></div>
${notice('warning', 'only', words.only(chosen.token, chosen.network))}
${walletLink(t, chosen.link)}
<div class="qr"><div role="img" aria-label="${words.qr}">${raw(chosen.qr)}</div><p class="small">${words.scan}</p></div>
<dl class="copyables">${copyable(t, words.amount, `${chosen.amount} ${chosen.token}`, chosen.amount, 'figures')}
${copyable(t, words.address, chosen.address, chosen.address, 'code')}
<div class="copyable"><dt>${words.network}</dt><dd><span class="value"><bdi>${chosen.network}</bdi></span></dd></div></dl>
${waiting(t, words.waiting)}
${choices.length > 0 && other}</section>`
}
