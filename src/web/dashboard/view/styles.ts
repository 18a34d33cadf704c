/**
 * The one stylesheet.
 */
import { compact } from '../../../lib/html.ts'

/** Colours that browsers and systems show around a page: the band of the mode, or the paper. */
export const colors = {
  light: { back: '#f6f7f9', test: '#ffdf8f', live: '#0b6b3e' },
  dark: { back: '#0f1217', test: '#4d3905', live: '#0c4a2e' },
} as const

const source = `
:root {
  color-scheme: light dark;
  --back: ${colors.light.back}; --sheet: #fff; --soft: #f1f3f6; --text: #1a1f29; --dim: #5a6271; --line: #e2e5eb; --edge: #858c9a;
  --main: #1c4fd6; --main-over: #163fae; --on-main: #fff; --link: #1c4fd6; --pick: #eaf0ff;
  --good: #0b6b3e; --good-back: #e3f5eb; --bad: #a8231b; --bad-back: #fdecea;
  --warn: #6b4400; --warn-back: #fff2d1; --info: #17469e; --info-back: #e6eeff;
  --mode: #6b4400; --mode-back: ${colors.light.test}; --mode-line: #d9a520;
  --shade: 0 1px 2px rgb(20 30 50 / .06), 0 1px 6px rgb(20 30 50 / .04); --over: 0 8px 30px rgb(20 30 50 / .2);
}
.live { --mode: #fff; --mode-back: ${colors.light.live}; --mode-line: #0b6b3e; }
@media (prefers-color-scheme: dark) {
  :root {
    --back: ${colors.dark.back}; --sheet: #181c23; --soft: #20252e; --text: #eceff4; --dim: #a5adba; --line: #2c323d; --edge: #79818f;
    --main: #9db8ff; --main-over: #b8ccff; --on-main: #0c1630; --link: #a8c0ff; --pick: #212b45;
    --good: #79d8a6; --good-back: #14322a; --bad: #ff9d95; --bad-back: #3c1f1f;
    --warn: #f4d58d; --warn-back: #352a12; --info: #a8c0ff; --info-back: #1d2947;
    --mode: #ffe1a0; --mode-back: ${colors.dark.test}; --mode-line: #a37a12; --shade: none;
  }
  .live { --mode: #d5ffe6; --mode-back: ${colors.dark.live}; --mode-line: #2c8a5c; }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; min-height: 100vh; background: var(--back); color: var(--text);
  font: 400 .9375rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
}
h1, h2, h3, p, ul, ol, dl, dd, figure { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 680; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.0625rem; line-height: 1.4; font-weight: 650; }
h3, h4 { font-size: .9375rem; font-weight: 650; }
a { color: var(--link); text-underline-offset: .2em; }
bdi, dd, td, th, p, li, code { overflow-wrap: anywhere; }
code { font: 500 .875em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
[hidden] { display: none !important; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
main:focus { outline: none; }
.icon { flex: none; display: block; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.skip { position: absolute; left: .5rem; top: -4rem; z-index: 3; padding: .625rem 1rem; border-radius: .5rem; background: var(--main); color: var(--on-main); }
.skip:focus { top: .5rem; }
.dim, .hint, small { color: var(--dim); }

/* Around every page. */
.band { padding: .25rem 1rem; border-bottom: 1px solid var(--mode-line); background: var(--mode-back); color: var(--mode); font-size: .8125rem; text-align: center; }
.bar { display: flex; align-items: center; gap: .75rem; padding: .25rem 1rem; border-bottom: 1px solid var(--line); background: var(--sheet); font-weight: 600; }
.bar bdi { min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.open, .close { display: flex; align-items: center; gap: .5rem; min-height: 2.75rem; color: inherit; text-decoration: none; }
.side { display: none; position: fixed; inset: 0; z-index: 2; padding: .5rem 1rem 2rem; overflow-y: auto; background: var(--sheet); font-size: .875rem; }
.side:target { display: block; }
.side summary, .side li a, .account li a { display: flex; align-items: center; gap: .5rem; min-height: 2.5rem; padding: .125rem .5rem; border-radius: .375rem; color: inherit; text-decoration: none; }
.side summary { color: var(--dim); font-weight: 600; list-style: none; cursor: pointer; }
.side summary::-webkit-details-marker { display: none; }
.side summary::after { content: ''; width: .375rem; height: .375rem; margin: 0 .25rem 0 auto; border: solid var(--edge); border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); }
.side [open] > summary::after { transform: rotate(45deg); }
.side summary:hover, .side li a:hover, .account li a:hover, .who:hover { background: var(--soft); }
.side details li a { padding-left: 2.125rem; }
.side a[aria-current] { background: var(--pick); color: var(--link); font-weight: 600; }
button.who { display: flex; justify-content: flex-start; gap: .625rem; width: 100%; margin-bottom: .5rem; padding: .25rem .5rem; background: none; color: inherit; text-align: left; }
.who > span { min-width: 0; flex: 1; line-height: 1.25; }
.who bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; min-width: 0; }
.who small { display: block; font-weight: 400; }
.who .mark { flex: none; display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: .5rem; background: var(--text); color: var(--sheet); font-size: .9375rem; }
.account { position: fixed; inset: 6.75rem auto auto 1rem; width: min(17rem, calc(100vw - 2rem)); max-height: 70vh; margin: 0; padding: .5rem; overflow-y: auto; border: 1px solid var(--line); border-radius: .75rem; background: var(--sheet); color: inherit; box-shadow: var(--over); font-size: .875rem; }
.account > p { margin-top: .5rem; padding: .5rem .5rem 0; border-top: 1px solid var(--line); color: var(--dim); font-size: .8125rem; }
.account form button { min-height: 2.25rem; padding: 0 .5rem; }
main { min-width: 0; padding: 1rem; }
main > p { margin-bottom: .75rem; }
.crumbs { margin-bottom: .125rem; font-size: .875rem; }
.crumbs ol { display: flex; gap: 0 .5rem; }
.crumbs a { color: var(--dim); text-decoration: none; }
.crumbs a:hover { text-decoration: underline; }
.crumbs li { display: flex; align-items: center; min-width: 0; }
.crumbs li:first-child { flex: none; }
.crumbs li a { max-width: 20rem; padding-block: .25rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.crumbs li + li::before { content: '/'; margin-right: .5rem; color: var(--dim); }
@media (min-width: 62rem) {
  .bar, .close { display: none; }
  html { scroll-padding-top: 3rem; }
  body:not(.bare) > .band { position: sticky; top: 0; z-index: 1; padding-block: .125rem; }
  .frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); align-items: start; }
  .side { display: block; position: sticky; top: 1.6rem; height: calc(100vh - 1.6rem); padding: .5rem .75rem; border-right: 1px solid var(--line); }
  .side summary, .side li a { min-height: 1.75rem; }
  .account { inset: 5.25rem auto auto .75rem; }
  main { width: 100%; max-width: 76rem; padding: 1.5rem 2rem 3rem; }
}
.alone { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem 1rem; padding: .75rem 1rem; }
.alone .me { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; color: var(--dim); font-size: .8125rem; }
.brand { color: var(--text); font-size: 1.0625rem; font-weight: 700; letter-spacing: -.01em; text-decoration: none; }
.bare main { max-width: 28rem; margin: 4vh auto 3rem; padding: 1.5rem 1.25rem; border-top: 1px solid var(--line); background: var(--sheet); }
.bare main.wide { max-width: 52rem; }
.bare main > * + * { margin-top: 1rem; }
@media (min-width: 33rem) { .bare main { padding: 2rem; border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shade); } }

/* Heads, sheets, facts. */
.head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .75rem 1rem; margin-bottom: 1rem; }
.head > div:first-child { min-width: 0; flex: 1 1 14rem; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; }
.sheet { margin-bottom: 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--sheet); box-shadow: var(--shade); }
.sheet > h2:first-child { margin-bottom: .625rem; }
.sheet > * + .field, .sheet > .field + h3, fieldset > .field + .field, .sheet form > * + *, .narrow > form + .sheet { margin-top: 1rem; }
.amount { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; font-variant-numeric: tabular-nums; }
.amount > span:first-child { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.amount .badge { align-self: center; font-size: .8125rem; }
.columns { display: grid; gap: 0 1rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 78rem) { .columns { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } .columns.home { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); } }
.facts > div { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: .125rem .75rem; padding: .375rem 0; }
@media (max-width: 32.99rem) { .facts dd > code { font-size: .775rem; } }
@media (min-width: 33rem) { .facts > div { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .125rem 1rem; } }
.facts > div + div { border-top: 1px solid var(--line); }
.facts.ends > div { display: flex; justify-content: space-between; font-weight: 600; }
.facts dt { color: var(--dim); }
.facts dd { font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr)); gap: 1rem; margin-bottom: 1rem; }
.cards .sheet { margin: 0; }
.figure { display: block; margin: .125rem 0; font-size: 1.5rem; line-height: 1.25; font-weight: 680; letter-spacing: -.015em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.badge { display: inline-block; padding: .0625rem .5rem; border-radius: .375rem; background: var(--soft); color: var(--dim); font-size: .8125rem; font-weight: 600; line-height: 1.4; white-space: nowrap; }
.good { background: var(--good-back); color: var(--good); }
.bad.badge, .bad.notice { background: var(--bad-back); color: var(--bad); }
.warn { background: var(--warn-back); color: var(--warn); }
.info { background: var(--info-back); color: var(--info); }
.notice { display: flex; gap: .625rem; margin-bottom: 1rem; padding: .75rem .875rem; border-radius: .75rem; }
.notice .icon { margin-top: .125rem; }
.notice > div { min-width: 0; overflow-wrap: anywhere; }
.notice.dim { background: var(--soft); }
.toast { position: fixed; inset: auto 1rem 1rem; z-index: 1; align-items: center; width: fit-content; max-width: min(36rem, calc(100vw - 2rem)); margin: 0 auto; padding: .5rem .75rem .5rem 1rem; box-shadow: var(--over); }
.toast .icon { margin: 0; }
.toast > a { display: grid; place-items: center; width: 2rem; height: 2rem; color: inherit; }
.toast button { min-height: 2rem; }
main:has(.toast) { padding-bottom: 6rem; }
.message { padding: 1rem 0; }
.message > * + * { margin-top: .75rem; }
.message .button { display: inline-flex; }

/* Lists: a table, and on a phone a row for each record. */
.tabs { display: flex; gap: .25rem; margin-bottom: .75rem; overflow-x: auto; border-bottom: 1px solid var(--line); }
.tabs a { flex: none; padding: .5rem .75rem; border-bottom: 2px solid transparent; color: var(--dim); text-decoration: none; }
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { border-color: var(--main); color: var(--link); font-weight: 600; }
.filters { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: start; margin-bottom: .75rem; }
.filters > * + * { margin-top: 0; }
.filters .find { flex: 0 1 34rem; }
.filters > .wrong, .filters > .grid, .filters details[open] { flex: 1 0 100%; }
.filters summary { display: inline-flex; align-items: center; min-height: 2.5rem; color: var(--link); cursor: pointer; }
.filters .grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 9rem), 1fr)); gap: .75rem; padding: .5rem 0 .75rem; align-items: end; }
.files { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1rem; min-height: 2.5rem; margin-left: auto; order: 1; }
.files a { display: inline-flex; align-items: center; gap: .25rem; min-height: 2rem; }
.filters details[open] { order: 2; }
.find { display: flex; gap: .5rem; max-width: 34rem; }
.find .input { flex: 1; }
.table { margin-bottom: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--sheet); box-shadow: var(--shade); overflow-x: auto; }
.sheet .table { margin: 0; box-shadow: none; }
.sheet .table .less { display: none; }
.sheet .list td > time { font-size: .8125rem; line-height: 1.7; }
/* What can be scrolled to is told by a line at that side. */
.scroll { overflow-x: auto; background:
  linear-gradient(var(--sheet), var(--sheet)) 0 0 / 1rem 100% no-repeat local, linear-gradient(var(--sheet), var(--sheet)) 100% 0 / 1rem 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) 0 0 / .625rem 100% no-repeat scroll, linear-gradient(to left, var(--line), transparent) 100% 0 / .625rem 100% no-repeat scroll; }
.scroll th:first-child, .scroll td:first-child { padding-left: 0; }
.scroll th:last-child, .scroll td:last-child { padding-right: 0; }
.scroll td:not(.right) { min-width: 5.75rem; }
.scroll td:last-child:not(.right) { min-width: 11rem; }
.scroll td:not(.right):not(:last-child) { max-width: 16rem; }
.scroll tbody th { min-width: 5.5rem; max-width: 16rem; white-space: normal; overflow-wrap: anywhere; }
.scroll tfoot { border-top: 1px solid var(--edge); font-weight: 650; }
.scroll + .scroll { margin-top: 1.5rem; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { white-space: nowrap; color: var(--dim); font-size: .8125rem; font-weight: 600; text-align: left; }
th, td { padding: .4375rem .75rem; vertical-align: top; }
td { min-width: 0; }
tbody tr { border-top: 1px solid var(--line); }
.list tbody tr { position: relative; }
.list tbody tr:hover { background: var(--soft); }
.list td { max-width: 15rem; }
@media (max-width: 82rem) { .list td { max-width: 9.75rem; } .list th, .list td { padding-inline: .625rem; } }
.list td > *, .clip { display: block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.list td > .picked { display: flex; gap: .625rem; align-items: center; overflow: visible; }
.picked input { position: relative; z-index: 1; }
.none { color: var(--dim); }
.picked a { overflow: hidden; text-overflow: ellipsis; }
.list td > .badge { display: inline-block; max-width: none; }
.list td:has(> time, > .badge) { max-width: none; }
.list tr:not(:has(td:nth-child(6))) td { max-width: 17rem; }
.list td a { color: inherit; font-weight: 600; text-decoration: none; }
.list td a::after { content: ''; position: absolute; inset: 0; }
.list td a:hover { text-decoration: underline; }
.right { text-align: right; }
td.right { white-space: nowrap; }
.pages { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .5rem 1rem; color: var(--dim); }
.pages .buttons, [data-bulk] > .buttons { align-items: center; }
/* What can be done to several records appears once one is chosen, and stays in sight. */
[data-bulk] > .buttons { margin: 0 0 .75rem; }
[data-bulk]:not(:has(.picked :checked)) > .buttons > :not(.check) { display: none; }
[data-bulk]:has(.picked :checked) > .buttons { position: sticky; bottom: .5rem; z-index: 2; padding: .75rem; border: 1px solid var(--edge); border-radius: .75rem; background: var(--sheet); box-shadow: var(--over); }
@media (max-width: 47.99rem) {
  .head > .buttons > .button:not(.second) { order: -1; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list, .list tbody { display: block; }
  .list tr { display: flex; flex-wrap: wrap; gap: .125rem .75rem; padding: .75rem; }
  .list tr::before, .list tr::after { content: ''; flex-basis: 100%; order: 2; }
  .list tr::after { order: 4; }
  .list td { display: block; max-width: none; padding: 0; }
  .list td > time { color: var(--dim); font-size: .8125rem; line-height: 1.7; }
  .list td:nth-child(odd) { flex: 1 1 0; min-width: 0; text-align: left; }
  .list td:nth-child(even) { flex: 0 1 auto; max-width: 60%; text-align: right; }
  .list td:nth-child(even):has(> time) { max-width: none; }
  .list td:nth-child(2):has(> time) { flex: 1 1 100%; text-align: left; }
  .list td:nth-child(-n+2) { order: 1; }
  .list td:nth-child(n+3) { order: 3; }
  .list td:nth-child(n+5) { order: 5; }
  .filters .grid > .buttons:has(a) { grid-column: 1 / -1; }
  .list td.less, .list td.none:nth-child(n+3) { display: none; }
  .list td.none + td:nth-child(even) { flex: 1 1 0; text-align: left; }
  .scroll { font-size: .875rem; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack table, .stack tbody, .stack tfoot, .stack tr, .stack th { display: block; }
  .stack tr { padding-block: .375rem; }
  .scroll.stack tr > td:nth-child(n) { display: flow-root; min-width: 0; max-width: none; padding: .0625rem 0; text-align: right; overflow-wrap: anywhere; }
  .stack td::before { content: attr(data-label); float: left; margin-right: 1rem; color: var(--dim); }
  .scroll.brief tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; }
  .stack tr.sum { display: flex; justify-content: space-between; gap: 1rem; }
  .scroll.brief tr > td:nth-child(n) { order: 2; color: var(--dim); font-size: .75rem; }
  .scroll.brief tr > td:last-child { order: 0; flex: 1 1 0; color: inherit; font-size: inherit; }
  .scroll.brief tr::before { content: ''; order: 1; flex-basis: 100%; }
  .brief tbody td:not(.right)::before, .brief td:last-child::before { content: none; }
  .brief td::before { margin-right: .25rem; }
  .scroll.stack th { padding: 0; }
  .scroll th, .scroll td { padding-inline: .375rem; }
  .scroll th { white-space: normal; overflow-wrap: normal; }
  .scroll .right { white-space: nowrap; }
}

/* Forms. */
form { min-width: 0; }
form > * + * { margin-top: 1rem; }
form > input[type=hidden] + * { margin-top: 0; }
.field { display: grid; gap: .3125rem; min-width: 0; }
label { font-weight: 600; font-size: .875rem; }
label small { font-weight: 400; }
.search { padding: 0 0 .5rem; }
.side .search input { height: 2.25rem; }
.palette { width: min(40rem, 92vw); max-height: 80vh; margin: 10vh auto auto; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--sheet); color: inherit; }
.palette .input { margin-bottom: .75rem; }
.palette a:focus { outline: 2px solid currentColor; outline-offset: 2px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: 1rem; align-items: start; }
.narrow { max-width: 34rem; }
.input { display: flex; align-items: center; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sheet); overflow: hidden; }
.input > span, .input > .icon { padding-left: .75rem; color: var(--dim); box-sizing: content-box; }
input, select, textarea { color: inherit; font: inherit; font-variant-numeric: tabular-nums; }
.input input { flex: 1; width: 100%; min-width: 0; height: 2.625rem; padding: 0 .75rem; border: 0; background: none; }
.input input:focus { outline: none; }
.input:focus-within { border-color: var(--link); outline: 3px solid var(--link); outline-offset: 1px; }
select, textarea { width: 100%; min-width: 0; min-height: 2.625rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--sheet); }
select { background: var(--sheet); }
.bad > .input, .bad > select, .bad > textarea { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.check label { display: flex; align-items: flex-start; gap: .5rem; font-weight: 400; }
fieldset > .check + .check { margin-top: .75rem; }
.fields > .field > p:first-child { font-size: .875rem; }
.buttons > .check:not([hidden]) { display: flex; align-items: center; gap: .75rem; }
.check input, .picked input { flex: none; width: 1.5rem; height: 1.5rem; margin: 0; }
.hint { font-size: .8125rem; }
.wrong { color: var(--bad); font-size: .875rem; }
fieldset { min-width: 0; margin: 1rem 0 0; padding: 0; border: 0; }
fieldset > .pair { margin: .75rem 0; padding-bottom: .75rem; border-bottom: 1px solid var(--line); align-items: end; }
@media (max-width: 47.99rem) { fieldset > .pair { grid-template-columns: 1fr 1fr; gap: .75rem; } fieldset > .pair > .field:nth-child(-n+2) { grid-column: 1 / -1; } }
legend { padding: 0; margin-bottom: .5rem; font-weight: 650; }
button, .button { display: inline-flex; align-items: center; justify-content: center; gap: .375rem; min-height: 2.5rem; padding: .375rem .875rem; border: 1px solid transparent; border-radius: .5rem; background: var(--main); color: var(--on-main); font: inherit; font-weight: 600; line-height: 1.3; text-decoration: none; cursor: pointer; touch-action: manipulation; }
button:hover, .button:hover { background: var(--main-over); }
button:disabled { opacity: .65; cursor: default; }
button.second, .button.second { border-color: var(--edge); background: var(--sheet); color: var(--text); }
button.second:hover, .button.second:hover { background: var(--soft); }
button.danger { background: var(--bad); color: var(--sheet); }
button.second.danger, .button.second.danger { background: var(--sheet); color: var(--bad); }
button.quiet { min-height: 2rem; padding: 0; background: none; color: var(--link); font-weight: 400; text-decoration: underline; }
.happens { display: grid; gap: .5rem; padding-left: 1.125rem; list-style: disc; }
.bare form button { width: 100%; min-height: 2.875rem; }
.bare form button.quiet, .alone form button { width: auto; min-height: 2rem; }

/* People. */
.more summary { padding: .25rem 0; color: var(--link); font-size: .875rem; cursor: pointer; }
.rows > li { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: start; gap: .25rem 1rem; padding: .625rem 0; }
.rows > li + li { border-top: 1px solid var(--line); }
.rows > li > div { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
.rows + form, .sheet > p + form, .sheet > p + .button, .sheet > p + p:has(> .button), .sheet > p + .buttons, .sheet > p + .notice, .table + p, .facts + form { margin-top: 1rem; }
input[type=file] { width: 100%; min-width: 0; font: inherit; }
.views { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-bottom: .75rem; }
.head > .views { margin: 0; }
.views a { display: inline-flex; align-items: center; min-height: 2rem; padding: .125rem .75rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--sheet); color: var(--text); text-decoration: none; }
.views a[aria-current] { background: var(--pick); border-color: var(--link); color: var(--link); font-weight: 600; }
.views .act:first-child { padding-left: 0; }
.views .act { border-color: transparent; background: none; color: var(--link); text-decoration: underline; }
.preview { display: grid; gap: .75rem; max-width: 20rem; padding: 1rem; border: 1px solid var(--line); border-radius: .75rem; text-align: center; }
.preview .who { display: flex; gap: .625rem; align-items: center; justify-content: center; padding: 0; font-weight: 650; min-width: 0; }
.preview svg { display: block; width: 100%; height: auto; }
.hint + .pair { margin-top: .75rem; }
.pair + h3 { margin-top: 1.5rem; }
#form-total + p { margin-top: .75rem; }
.fields > details { margin-top: .5rem; }
.fields > details > summary { padding: .5rem 0; }
.apart { margin-top: 1rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.qr svg { display: block; width: 13rem; height: auto; margin: 0 auto; border-radius: .5rem; }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: .5rem 1rem; }
.bare main.wide form button { width: auto; }

/* What happened, in its order. */
.timeline { display: grid; gap: .75rem; font-size: .875rem; padding-left: 1.25rem; border-left: 2px solid var(--line); margin-left: .375rem; }
.timeline li { position: relative; }
.timeline .badge { margin-right: .25rem; }
.timeline li::before { content: ''; position: absolute; left: -1.625rem; top: .4375rem; width: .625rem; height: .625rem; border: 2px solid var(--sheet); border-radius: 50%; background: var(--edge); }
.timeline .of-state::before { background: var(--main); }
.timeline .of-waiting::before { background: var(--sheet); border-color: var(--edge); }
.timeline summary { position: absolute; top: 0; right: 0; padding: 0; color: var(--dim); font-size: .8125rem; cursor: pointer; }
.timeline time { display: block; color: var(--dim); font-size: .8125rem; }
.source { margin: 0; padding: .75rem; border-radius: .5rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto; }
.source + .source, p + .source, .facts + .source { margin-top: .75rem; }
.tries { display: grid; gap: 1rem; }
.tries li + li { padding-top: 1rem; border-top: 1px solid var(--line); }
#live { gap: 0; }
#live > li { padding: .625rem 0; }
#live summary { list-style: none; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; cursor: pointer; }
#live summary bdi { grid-column: 1 / -1; }
#live summary code { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--dim); }
#live summary time { font-size: .8125rem; }
#live summary bdi { font-weight: 600; }
#live details > * + * { margin-top: .5rem; }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 .5rem; margin: .75rem 0 .5rem; }
.plot .axis { display: flex; flex-direction: column; justify-content: space-between; height: 152px; }
.plot .axis span { height: 0; line-height: 0; }
.plot .axis, .chart text { color: var(--dim); fill: currentColor; font-size: .75rem; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.chart { width: 100%; display: block; overflow: visible; }
.chart line { stroke: var(--line); }
@media (max-width: 47.99rem) { .chart .wide { display: none; } }
.chart .came { fill: var(--main); }
.chart .went { fill: var(--mode-line); }
.chart .failed { fill: var(--bad); }
.chart g:hover rect { opacity: .75; }
.steps ol { counter-reset: step; margin-top: .75rem; }
.steps ol > li { counter-increment: step; padding: .75rem 0; border-top: 1px solid var(--line); }
.steps h3::before { content: counter(step) '. '; }
.steps li li { padding: .25rem 0; }
.needs h3 { margin-top: 1rem; }
.needs h2 + h3 { margin-top: 0; }
.needs li { padding: .5rem 0; font-size: .875rem; }
.needs li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .125rem 1rem; }
.needs li > div { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; }
.needs li button { min-height: 1.5rem; }
.needs li + li { border-top: 1px solid var(--line); }
.needs li > div > time { display: block; font-size: .8125rem; }
.fold summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; cursor: pointer; }
.fold summary h2 { font-size: .9375rem; }
.sheet.fold > summary { width: auto; color: inherit; font-size: inherit; }
.fold > summary::after { content: ''; align-self: center; width: .4375rem; height: .4375rem; margin-left: auto; border: solid var(--edge); border-width: 0 2px 2px 0; transform: rotate(-45deg); }
.fold[open] > summary::after { transform: rotate(45deg); }
.sheet.fold { padding-block: .625rem; }
.sheet.fold > h3 { margin-top: .75rem; }
.sheet details > summary { width: fit-content; cursor: pointer; color: var(--link); font-size: .875rem; }
.sheet > h4 { margin-top: 1.25rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 8.5rem), 1fr)); gap: .875rem 1.25rem; margin: .25rem 0 .75rem; }
.figures + p { margin-bottom: .75rem; }
.groups { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 2rem; margin-bottom: 1rem; }
.compared td.right { white-space: normal; }
.empty .button { margin-top: .75rem; }
.figures dt { color: var(--dim); font-size: .8125rem; }
.figures dd { font-size: .8125rem; color: var(--dim); font-variant-numeric: tabular-nums; }
.figures .figure { color: var(--text); font-size: 1.125rem; }
.change { font-weight: 600; white-space: nowrap; }
@media (max-width: 47.99rem) {
  .figures { display: block; }
  .figures > div { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1rem; padding: .25rem 0; }
  .figures dt { font-size: .875rem; }
  .figures dd { margin-left: auto; text-align: right; }
  .figures .figure { font-size: 1.0625rem; }
}
a.figure { color: inherit; text-decoration: none; }
a.figure:hover { text-decoration: underline; }
.key { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .8125rem; color: var(--dim); }
.key i { display: inline-block; width: .75rem; height: .75rem; margin-right: .375rem; border-radius: .1875rem; vertical-align: -.0625rem; background: var(--main); }
.key .went { background: var(--mode-line); }
.key .failed { background: var(--bad); }
@media (forced-colors: active) { .badge, .band { border: 1px solid; } .chart .came { fill: CanvasText; } }
@media print { .toast, .side, .bar, .skip, .buttons, .filters, .pages { display: none; } .frame { display: block; } }
`

/** The text of the stylesheet, to the letter. */
export const styles = compact(source)
