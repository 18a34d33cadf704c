/**
 * The stylesheet of the documents. Which language's samples are seen is chosen by radio buttons and
 * `:has()`: no script is needed for it.
 */
import { compact } from '../../../lib/html.ts'
import { languages } from '../samples.ts'

const chosen = languages
  .map(
    ({ key }) =>
      `@supports selector(:has(*)) { body:has(#lang-${key}:checked) .many > :not(.lang-${key}) { display: none; } }`,
  )
  .join('\n')

const source = `
:root {
  color-scheme: light dark;
  --back: #fff; --soft: #f4f5f8; --text: #161a22; --dim: #59606e; --line: #e1e4ea; --edge: #858c9a; --link: #1c4fd6; --pick: #eef3ff;
  --code: #f4f5f8; --good: #0d7a47; --bad: #b3261e; --warn: #6b4400; --warn-back: #fff4d9; --key: #7a1fa2; --number: #8a4600;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171d; --soft: #1e232b; --text: #eef0f4; --dim: #a7aebb; --line: #303642; --edge: #79818f; --link: #a8c0ff; --pick: #212b45;
    --code: #1e232b; --good: #6fd6a2; --bad: #ff9d95; --warn: #f4d58d; --warn-back: #352a12; --key: #d9a6f2; --number: #f0b27a;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--back); color: var(--text);
  font: 400 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif;
}
a { color: var(--link); text-underline-offset: .2em; }
a:not(:hover) { text-decoration-thickness: 1px; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { left: 1rem; top: .5rem; z-index: 3; padding: .5rem 1rem; background: var(--back); }
.bar { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; padding: .5rem 1rem; border-bottom: 1px solid var(--line); }
.bar .home { font-weight: 700; color: var(--text); text-decoration: none; padding: .5rem 0; }
.bar form { display: flex; flex: 1 1 14rem; max-width: 28rem; margin-left: auto; }
.bar input { flex: 1; min-width: 0; min-height: 2.5rem; padding: .375rem .75rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--back); color: var(--text); font: inherit; font-size: .9375rem; }
.frame { display: block; max-width: 90rem; margin: 0 auto; }
.bar .open, .side .close { padding: .5rem 0; }
.side { display: none; padding: .5rem 1rem 1.5rem; border-bottom: 1px solid var(--line); font-size: .9375rem; }
.side:target { display: block; }
.side h2 { margin: 1.25rem 0 .25rem; font-size: .8125rem; font-weight: 650; color: var(--dim); }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a { display: block; padding: .3125rem .625rem; border-radius: .375rem; color: inherit; text-decoration: none; }
.side li a:hover { background: var(--soft); }
.side [aria-current] { background: var(--pick); color: var(--link); font-weight: 600; }
.side ul ul a { padding-left: 1.25rem; font-size: .875rem; color: var(--dim); }
main { min-width: 0; padding: 1rem 1rem 4rem; }
main:focus { outline: none; }
@media (min-width: 60rem) {
  .frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  .side { display: block; position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); padding: 0 .75rem 2rem; }
  .bar .open, .side .close { display: none; }
  main { padding: 1.5rem 2.5rem 5rem; }
}
h1, h2, h3, h4 { line-height: 1.3; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.3125rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.0625rem; }
h4 { margin: 1.25rem 0 .375rem; font-size: .9375rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover::after { content: ' #'; color: var(--dim); }
p, ul, ol { margin: .625rem 0; }
p, li { overflow-wrap: anywhere; max-width: 46rem; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; overflow-wrap: anywhere; }
:not(pre) > code { padding: .1em .3em; border-radius: .25rem; background: var(--code); }
pre { position: relative; margin: .75rem 0; padding: .875rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--code); overflow-x: auto; font-size: .8125rem; line-height: 1.5; }
pre code { font-size: 1em; overflow-wrap: normal; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .4375rem .75rem .4375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 6rem; }
th { font-weight: 600; color: var(--dim); }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
blockquote { margin: .75rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
.lead { font-size: 1.0625rem; color: var(--dim); }
.dim { color: var(--dim); }

/* The choice of a language, and samples in each. */
.languages { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: .25rem; margin: .75rem 0; padding: .5rem 0; border: 0; background: var(--back); }
.languages legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.languages label { position: relative; display: block; padding: .375rem .75rem; border: 1px solid var(--edge); border-radius: 2rem; font-size: .875rem; cursor: pointer; }
.languages input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.languages label:has(:checked) { background: var(--link); border-color: var(--link); color: var(--back); font-weight: 600; }
.languages label:has(:focus-visible) { outline: 3px solid var(--link); outline-offset: 2px; }
.many { margin: .75rem 0; }
.many pre { margin: 0 0 .25rem; }
${chosen}
.copy { position: absolute; top: .375rem; right: .375rem; padding: .25rem .625rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--back); color: var(--text); font: inherit; font-size: .8125rem; cursor: pointer; }
.copied { position: relative; }
@media (hover: hover) { .copy { opacity: 0; } .copied:hover .copy, .copy:focus-visible { opacity: 1; } }
@media (hover: none) { .copied pre { padding-top: 2.75rem; } }

/* Operations. */
/* What is far below is laid out when it is near. */
.op { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 60rem; }
.op h2 { margin-top: 0; }
.line { display: flex; flex-wrap: wrap; gap: .25rem .625rem; align-items: baseline; margin: .25rem 0 .75rem; }
.method { font: 650 .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.GET { color: var(--good); } .POST, .PUT, .PATCH { color: var(--link); } .DELETE { color: var(--bad); }
.old { padding: .125rem .5rem; border-radius: .25rem; background: var(--warn-back); color: var(--warn); font-size: .8125rem; }
@media (min-width: 80rem) {
  .op.two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 0 2.5rem; }
  .op.two > .samples { position: sticky; top: 3.5rem; align-self: start; max-height: calc(100vh - 4rem); overflow-y: auto; }
}
.fields { margin: .25rem 0; padding: 0; }
.fields > div { padding: .5rem 0; border-bottom: 1px solid var(--line); }
.fields dt { display: flex; flex-wrap: wrap; gap: 0 .625rem; align-items: baseline; }
.fields dt code { font-weight: 600; background: none; padding: 0; }
.fields dd { margin: .125rem 0 0; font-size: .9375rem; overflow-wrap: anywhere; }
.fields .fields { margin-left: .75rem; padding-left: .75rem; border-left: 2px solid var(--line); }
.type, .must { font-size: .8125rem; color: var(--dim); }
.fields .type code { font-weight: 400; }
.must { color: var(--bad); }
details > summary { cursor: pointer; padding: .25rem 0; }
.list { list-style: none; padding: 0; }
.list li { display: flex; flex-wrap: wrap; gap: 0 .625rem; padding: .375rem 0; border-bottom: 1px solid var(--line); max-width: none; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); gap: .75rem; padding: 0; list-style: none; }
.cards a { display: block; height: 100%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .625rem; color: inherit; text-decoration: none; }
.cards a:hover { border-color: var(--link); }
.cards strong { display: block; color: var(--link); }
.cards span { font-size: .875rem; color: var(--dim); }
.found { margin: 1rem 0; }
.found p { margin: .125rem 0; }
.found mark { background: var(--pick); color: inherit; font-weight: 600; }
.bar form { position: relative; }
.bar .away { font-size: .9375rem; padding: .5rem 0; }
#found { position: absolute; top: 100%; left: 0; right: 0; z-index: 4; max-height: 70vh; overflow-y: auto; margin-top: .25rem; padding: .25rem 1rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--back); font-size: .875rem; }
#found .found { margin: .625rem 0; overflow-wrap: anywhere; }
.pages { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: .5rem 2rem; }
.pages li { max-width: none; }
.pages a { display: block; font-weight: 600; }
.pages span { font-size: .875rem; }
.neighbours { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.neighbours a { padding: .25rem 0; }
.neighbours [rel='next'] { margin-left: auto; text-align: right; }
.neighbours span { display: block; font-size: .8125rem; color: var(--dim); }
nav.toc { display: none; }
@media (min-width: 80rem) {
  details.toc { display: none; }
  nav.toc { display: block; float: right; position: sticky; top: 1rem; width: 15rem; max-height: calc(100vh - 2rem); overflow-y: auto; margin: 0 0 1rem 2rem; padding-left: 1rem; border-left: 1px solid var(--line); font-size: .875rem; }
  nav.toc p { margin: 0; font-weight: 600; }
  nav.toc ul { margin: .25rem 0 0; padding: 0; list-style: none; }
  nav.toc li { margin: .375rem 0; }
}
/* What tries an operation. */
.try { margin: .75rem 0; padding: .25rem .75rem; border: 1px solid var(--line); border-radius: .5rem; }
.try label { display: block; margin: .5rem 0; font-size: .875rem; }
.try input, .try textarea { display: block; width: 100%; padding: .375rem .5rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--back); color: var(--text); font: 400 .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.try button[type='submit'], .try form > button { padding: .375rem .75rem; border: 0; border-radius: .375rem; background: var(--link); color: var(--back); font: inherit; font-weight: 600; overflow-wrap: anywhere; cursor: pointer; }
/* Colours of samples. */
.hljs-comment { color: var(--dim); }
.hljs-string { color: var(--good); }
.hljs-keyword, .hljs-built_in { color: var(--key); }
.hljs-number, .hljs-literal { color: var(--number); }
.hljs-attr, .hljs-title, .hljs-variable { color: var(--link); }
`

/** The text of the stylesheet. */
export const styles = compact(source)
