/**
 * The one stylesheet. It is inline, so that the first paint waits for nothing.
 */
import { compact } from '../../../lib/html.ts'

const source = `
:root {
  color-scheme: light dark;
  --back: #f4f5f7; --sheet: #fff; --soft: #f4f5f8; --text: #161a22; --dim: #59606e; --line: #e1e4ea; --edge: #858c9a;
  --main: #1c4fd6; --main-over: #163fae; --on-main: #fff; --link: #1c4fd6; --pick: #eef3ff;
  --good: #0d7a47; --good-back: #e5f5ec; --bad: #b3261e; --bad-back: #fdeeec;
  --warn: #6b4400; --warn-back: #fff4d9; --warn-line: #e8c670;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #101318; --sheet: #191d24; --soft: #232832; --text: #eef0f4; --dim: #a7aebb; --line: #303642; --edge: #79818f;
    --main: #9db8ff; --main-over: #b8ccff; --on-main: #0c1630; --link: #a8c0ff; --pick: #212b45;
    --good: #6fd6a2; --good-back: #16332a; --bad: #ff9d95; --bad-back: #3c1f1f;
    --warn: #f4d58d; --warn-back: #352a12; --warn-line: #6d5824;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; background: var(--sheet); color: var(--text);
  font: 400 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
}
h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h2 { font-size: 1.0625rem; line-height: 1.4; font-weight: 650; }
a { color: var(--link); text-underline-offset: .2em; }
bdi, dd, h1, p { overflow-wrap: anywhere; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
h1:focus { outline: none; }
.icon { flex: none; display: block; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }

/* Arabic letters join each other, and stand lower and higher than ours. */
:lang(ar) h1, :lang(ar) .amount { letter-spacing: 0; line-height: 1.4; }
[dir=rtl] .onwards { transform: scaleX(-1); }

/* The sheet: the whole screen of a phone, a card on anything larger. */
.sheet { width: 100%; max-width: 30rem; margin: 0 auto; background: var(--sheet); }
.test { padding: .5rem 1.25rem; background: var(--warn-back); color: var(--warn); font-size: .875rem; text-align: center; }
.who { display: flex; align-items: center; gap: .75rem; padding: 1rem 1.25rem; border-bottom: 1px solid var(--line); font-weight: 600; line-height: 1.3; }
.mark { flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: .625rem; background: var(--text); color: var(--sheet); }
.logo { flex: none; width: auto; height: 2.25rem; max-width: 8rem; object-fit: contain; border-radius: .375rem; }
@media (prefers-color-scheme: dark) { .logo { height: 2.5rem; padding: .25rem; background: #fff; } }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding: 1.25rem; }
footer { display: grid; gap: .375rem; max-width: 30rem; margin: 0 auto; padding: 1rem 1.25rem 2rem; color: var(--dim); font-size: .8125rem; text-align: center; }
.languages { display: flex; flex-wrap: wrap; justify-content: center; gap: 0 1.25rem; font-size: .9375rem; }
.languages li { display: flex; align-items: center; min-height: 2.75rem; }
.languages [aria-current] { color: var(--text); font-weight: 600; }
/* Apart without a sign between them, which would be left over at the end of a line. */
.apart { display: flex; flex-wrap: wrap; justify-content: center; align-items: baseline; gap: 0 .75rem; }
.apart > * { min-width: 0; overflow-wrap: anywhere; }
footer a { color: inherit; display: inline-block; padding: .25rem 0; }
@media (min-width: 33rem) {
  body { background: var(--back); padding: 2.5rem 1rem 0; }
  .sheet { border: 1px solid var(--line); border-radius: 1rem; overflow: hidden; }
  .who { padding: 1.25rem 2rem; }
  main { padding: 1.75rem 2rem 2rem; }
}

/* The amount, and what it is for. */
.summary { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; }
.top { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .25rem 1rem; min-height: 1.75rem; color: var(--dim); font-size: .9375rem; }
.clock { display: flex; align-items: center; gap: .375rem; padding: .125rem .625rem; border-radius: 1rem; background: var(--soft); color: var(--text); font-size: .875rem; font-variant-numeric: tabular-nums; }
.clock.soon { background: var(--warn-back); color: var(--warn); font-weight: 600; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 700; letter-spacing: -.01em; }
.amount { display: block; font-size: 2.375rem; line-height: 1.15; letter-spacing: -.02em; font-weight: 700; font-variant-numeric: tabular-nums; }
.amount.long { font-size: clamp(1.5rem, 9vw, 2rem); }
.amount.longer { font-size: clamp(1.375rem, 8vw, 2rem); }
.amount.longest { font-size: clamp(1.125rem, 6.25vw, 1.75rem); }
.description { color: var(--dim); white-space: pre-line; }
.fold summary { display: block; cursor: pointer; border-radius: .25rem; }
.fold summary::-webkit-details-marker { display: none; }
.fold .description { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.fold[open] .description { display: block; }
.fold[open] .more, .fold:not([open]) .less { display: none; }
.toggle { display: inline-flex; align-items: center; min-height: 2.75rem; color: var(--link); text-decoration: underline; font-size: .9375rem; }
.fold .plain { color: var(--text); text-decoration: none; font-weight: 600; }

/* Facts and figures. */
.facts, .lines { font-size: .9375rem; }
.facts > div, .lines li { display: flex; justify-content: space-between; gap: 1rem; padding: .375rem 0; }
.facts dt, .lines small { color: var(--dim); }
/* An amount is never broken: what it is of breaks beside it. */
.facts dt { flex: 1 1 0; min-width: 25%; }
.facts dd { flex: 0 1 auto; max-width: 75%; }
.lines small { display: block; font-size: .875rem; }
.facts dd, .lines b { text-align: end; font-variant-numeric: tabular-nums; }
.lines li { flex-wrap: wrap; gap: 0 1rem; }
.way h2 + p { margin-top: .25rem; }
.lines span { flex: 1 1 9rem; }
.lines b { margin-inline-start: auto; font-weight: 400; }
.lines span, .lines b { min-width: 0; overflow-wrap: anywhere; }
.facts .sum { margin-top: .375rem; padding-top: .75rem; border-top: 1px solid var(--line); font-weight: 650; }
.facts .sum dt { color: inherit; }
/* One that does not fit beside its name gets a row of its own, so that it need not break. */
.facts .reference { flex-wrap: wrap; gap: 0 1rem; }
.facts .reference dt { flex: none; }
.facts .reference dd { max-width: 100%; font-size: .875rem; line-height: 1.6; text-align: start; }
.small { color: var(--dim); font-size: .875rem; }
.end { display: grid; gap: .25rem; border-top: 1px solid var(--line); padding-top: 1rem; }
.link { display: inline-flex; align-items: center; gap: .5rem; min-height: 2.75rem; font-size: .9375rem; justify-self: start; }

/* The ways to pay: rows to choose from, then tiles with the chosen one marked. */
.ways ul { display: grid; gap: .75rem; margin-top: .75rem; }
.ways a { display: flex; align-items: center; gap: .875rem; min-height: 4rem; padding: .75rem 1rem; border: 1px solid var(--edge); border-radius: .75rem; color: inherit; text-decoration: none; font-weight: 600; line-height: 1.3; }
.ways small { display: block; color: var(--dim); font-size: .875rem; font-weight: 400; }
.ways a > .icon:last-child { margin-inline-start: auto; color: var(--dim); }
.ways a:hover { background: var(--soft); }
.tiles ul { grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: .5rem; margin: 0; }
.tiles a { height: 100%; flex-direction: column; align-items: flex-start; gap: .25rem; padding: .625rem .75rem; font-size: .875rem; color: var(--dim); }
.tiles a[aria-current] { border-color: var(--link); box-shadow: inset 0 0 0 1px var(--link); background: var(--pick); color: var(--link); }

/* Forms. */
.way, form { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem; align-items: start; }
.titled { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1rem; }
.brands { display: flex; flex-wrap: wrap; gap: .375rem; }
.brands svg { display: block; border: 1px solid var(--line); border-radius: .25rem; }
.brands .other { opacity: .3; }
.secure { display: flex; align-items: center; justify-content: center; gap: .375rem; color: var(--dim); font-size: .875rem; }
.secure.open { color: var(--warn); }
.field { display: grid; gap: .375rem; min-width: 0; }
label { font-size: .9375rem; font-weight: 600; }
label small { white-space: nowrap; color: var(--dim); font-size: inherit; font-weight: 400; }
.input { display: flex; align-items: center; min-height: 3.125rem; border: 1px solid var(--edge); border-radius: .625rem; background: var(--sheet); overflow: hidden; }
.input > span { padding-inline-start: .875rem; color: var(--dim); }
input { flex: 1; width: 100%; min-width: 0; height: 3.125rem; padding: 0 .875rem; border: 0; background: none; color: inherit; font: inherit; font-size: 1.0625rem; font-variant-numeric: tabular-nums; }
input:focus { outline: none; }
.input:focus-within { border-color: var(--link); outline: 3px solid var(--link); outline-offset: 1px; }
.input.bad { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
input::placeholder { color: var(--dim); opacity: 1; }
.hint { color: var(--dim); font-size: .875rem; }
.wrong { color: var(--bad); font-size: .9375rem; }
button, .button { display: flex; align-items: center; justify-content: center; gap: .625rem; width: 100%; min-height: 3.25rem; padding: .625rem 1rem; border: 1px solid transparent; border-radius: .75rem; background: var(--main); color: var(--on-main); font: inherit; font-weight: 650; line-height: 1.3; text-align: center; text-decoration: none; font-variant-numeric: tabular-nums; cursor: pointer; touch-action: manipulation; }
button:hover, .button:hover { background: var(--main-over); }
button:disabled { opacity: .65; cursor: default; }
button.second, .button.second { border-color: var(--edge); background: none; color: inherit; }
button.second:hover { background: var(--soft); }
.coin, .networks { display: grid; gap: .625rem; }
.networks { grid-template-columns: repeat(2, minmax(0, 1fr)); }
.networks button { justify-content: flex-start; padding: .5rem .625rem; font-size: .9375rem; font-weight: 600; text-align: start; }
.logo-of { flex: none; display: block; }
.chosen { display: flex; align-items: flex-start; gap: .75rem; }
.wallet { display: none; gap: .5rem; }
@media (pointer: coarse) { .wallet { display: grid; } }

/* What the payer has to copy. */
.copyables { border: 1px solid var(--line); border-radius: .75rem; }
.copyable { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: center; gap: 0 .75rem; padding-block: .5rem; padding-inline: 1rem .5rem; min-height: 4rem; }
.copyable + .copyable { border-top: 1px solid var(--line); }
.copyable dt { color: var(--dim); font-size: .875rem; grid-column: 1; }
.copyable dd { display: contents; }
.value { grid-column: 1; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; -webkit-user-select: all; user-select: all; }
.value.figures { font-size: 1.25rem; letter-spacing: .03em; }
.value.code { font: 500 .9375rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
button.copy { grid-column: 2; grid-row: 1 / span 2; width: auto; min-width: 4.75rem; min-height: 2.75rem; padding: .25rem .75rem; background: var(--soft); color: var(--link); font-size: .9375rem; }
button.copy:hover { background: var(--pick); }
.qr { justify-self: center; display: grid; gap: .5rem; justify-items: center; }
.qr p { text-align: center; }
.qr > div { width: 12.5rem; max-width: 100%; padding: .75rem; border: 1px solid var(--line); border-radius: .75rem; background: #fff; color: #000; }
.qr svg { display: block; width: 100%; height: auto; }

/* Notices and states. */
.notice { display: flex; gap: .625rem; padding: .75rem .875rem; border-radius: .75rem; font-size: .9375rem; background: var(--soft); }
.notice .icon { margin-top: .1rem; }
.notice.error { background: var(--bad-back); color: var(--bad); }
.notice.warning { background: var(--warn-back); color: var(--warn); }
.notice.info .icon { display: none; }
.reach { display: block; margin-top: .25rem; }
.reach a { display: inline-block; padding: .25rem 0; color: inherit; }
.outcome .reach a { color: var(--link); }
.waiting { display: flex; align-items: center; gap: .75rem; font-size: .9375rem; }
.waiting small { display: block; color: var(--dim); font-size: .875rem; }
.spin { flex: none; width: 1.25rem; height: 1.25rem; border: 2.5px solid var(--line); border-top-color: var(--link); border-radius: 50%; }
.busy { display: grid; justify-items: center; gap: .75rem; padding: 1.5rem 0; text-align: center; }
.busy .spin { width: 2.5rem; height: 2.5rem; border-width: 4px; }
.busy p { color: var(--dim); }
.outcome { display: grid; justify-items: center; gap: .625rem; padding-top: .75rem; text-align: center; }
.sign { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin-bottom: .25rem; border-radius: 50%; background: var(--soft); color: var(--dim); }
.sign.good { background: var(--good-back); color: var(--good); }
.sign.bad { background: var(--bad-back); color: var(--bad); }
.sign.warn { background: var(--warn-back); color: var(--warn); }
.outcome p { color: var(--dim); }
.outcome p, .outcome h1, .busy p, h2 { text-wrap: balance; }
.center { text-align: center; }
.onward { display: grid; gap: .625rem; }
@media (prefers-reduced-motion: no-preference) {
  .spin { animation: turn 1s linear infinite; }
  @keyframes turn { to { transform: rotate(1turn); } }
}

/* Test mode. */
.lab { display: grid; gap: .875rem; padding: 1rem; border: 1px dashed var(--warn-line); border-radius: .75rem; font-size: .9375rem; }
.lab h2 { font-size: .9375rem; color: var(--warn); }
.lab ul { margin-top: .5rem; }
.lab li { display: flex; justify-content: space-between; align-items: center; gap: .75rem; min-height: 3.25rem; border-top: 1px solid var(--line); font-size: .875rem; line-height: 1.35; }
.lab code { display: block; color: var(--text); font: 500 .9375rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.lab li p { color: var(--dim); }
.lab li button { flex: none; width: auto; min-width: 3.5rem; min-height: 2.75rem; padding: 0 .75rem; background: var(--soft); color: var(--link); font-size: .9375rem; }
.lab li button:hover { background: var(--pick); }
.lab form { gap: .625rem; }
.outcomes { display: flex; flex-wrap: wrap; gap: .5rem; }
.outcomes button { flex: 1 1 auto; width: auto; min-height: 2.75rem; padding: .375rem .75rem; font-size: .9375rem; font-weight: 500; }
@media print { .test, footer, .onward, .lab { display: none; } }
`

/** The text of `<style>`, to the letter. */
export const styles = compact(source)
