/**
 * What stands around every page of the documents: head, search, menu. Nothing is loaded from
 * anywhere else.
 */
import { type Html, html } from '../../../lib/html.ts'
import { assets } from '../assets.ts'
import { languages } from '../samples.ts'
import { highlighted } from './highlight.ts'

export type MenuItem = { href: string; title: string; within?: MenuItem[] }
export type MenuGroup = { title: string; items: MenuItem[] }

export type Shown = {
  title: string
  main: Html
  /** Where it is: the menu marks it. */
  path: string
  menu: MenuGroup[]
  /** Whether it has samples in several languages. */
  hasLanguages?: boolean
  /** What was sought. */
  query?: string
}

/** A page, as HTML. */
export function page({ title, main, path, menu, query = '' }: Shown): string {
  const item = ({ href, title: text, within = [] }: MenuItem): Html => html`
<li><a href="${href}"${href === path && html` aria-current="page"`}>${text}</a>${
    within.length > 0 && href === path && html`<ul>${within.map(item)}</ul>`
  }</li>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Bursar</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${assets.icon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.styles.path}">
<script src="${assets.script.path}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="bar"><a class="home" href="/docs">Bursar docs</a><a class="open" href="#menu">Contents</a>
<form action="/docs/search" role="search"><input id="q" name="q" type="search" value="${query}" aria-label="Search the documents" placeholder="Search" required maxlength="100" autocomplete="off"><div id="found" role="region" aria-live="polite" aria-label="Search results" hidden></div></form>
<a class="away" href="/dashboard">Dashboard</a>
</header>
<div class="frame">
<nav class="side" id="menu" aria-label="Documents"><a class="close" href="#main">Close</a>${menu.map(
    (group) => html`
<h2>${group.title}</h2><ul>${group.items.map(item)}
</ul>`,
  )}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
</div>
</body>
</html>
`.toString()
}

/** The choice of a language, for all samples of a page. */
export const languageChoice: Html = html`<fieldset class="languages"><legend>Language of the samples</legend>${languages.map(
  ({ key, name }, i) =>
    html`<label><input type="radio" name="language" id="lang-${key}" value="${key}"${i === 0 && html` checked`}>${name}</label>`,
)}</fieldset>`

/**
 * A text of machines. @param choice the language by whose choice it is shown, where it is one of
 * several
 */
export const code = (text: string, language = '', choice = ''): Html =>
  html`<pre class="${choice === '' ? 'plain' : `lang-${choice}`}" tabindex="0"${
    choice !== '' &&
    html` role="group" aria-label="${languages.find(({ key }) => key === choice)?.name}"`
  }><code>${highlighted(text, language)}</code></pre>`

/** The same in several languages, of which the chosen one is seen. */
export const inLanguages = (samples: readonly { language: string; text: string }[]): Html =>
  samples.length === 1
    ? html`${samples.map(({ text, language }) => code(text, language))}`
    : html`<div class="many">${samples.map(({ language, text }) => code(text, language, language))}</div>`
