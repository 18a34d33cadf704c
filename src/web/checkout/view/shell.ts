/**
 * What stands around every page: the document, its head, header and footer. Nothing is loaded from
 * anywhere.
 */
import { type Html, html, type Part, raw, webAddress } from '../../../lib/html.ts'
import { brandStyle } from './brand.ts'
import type { Brand, Language } from './model.ts'
import { waysTo } from './parts.ts'
import { script } from './script.ts'
import { languages, type Strings } from './strings.ts'
import { styles } from './styles.ts'

export type Shell = {
  language: Language
  title: string
  /** Null on pages that belong to no business. */
  business: string | null
  brand: Brand | null
  livemode: boolean
  /** The address of the page, where it can be had in another language. */
  here: string | null
  /** The attributes of `<main>`: what the script needs to know. */
  data?: Html
  /** What else belongs in the head. */
  head?: Part
}

/** The first sign of the name, in place of a logo. */
const initial = (name: string): string => ([...name.trim()][0] ?? '').toUpperCase()

/** Who asks for the money. The name stands beside the logo, which says nothing more. */
function who(business: string, brand: Brand | null): Html {
  const logo = brand?.logo
  const mark = logo
    ? html`<img class="logo" src="${logo.path}" width="${logo.width}" height="${logo.height}" alt="">`
    : html`<span class="mark" aria-hidden="true">${initial(business)}</span>`
  return html`<p class="who">${mark}<bdi>${business}</bdi></p>`
}

/**
 * What a chat shows of a link that is shared there: no more than the page's title says, and the
 * logo.
 */
function preview({ title, business, brand }: Shell): Html {
  const logo = brand?.logo
  return html`<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${business}">
<meta name="twitter:card" content="summary">
${
  logo &&
  html`<meta property="og:image" content="${logo.url}">
<meta property="og:image:width" content="${logo.width}">
<meta property="og:image:height" content="${logo.height}">`
}`
}

/** Whom to ask, and who it is. */
function contact(t: Strings, { email, phone, terms, legal }: Brand): Html {
  const ways = waysTo({ email, phone })
  const link = webAddress(terms)
  return html`${ways.length > 0 && html`<p class="apart"><span>${t.questions}</span> ${ways.map((way) => [way, ' '])}</p>`}
${legal.length > 0 && html`<p class="apart">${legal.map((one) => html`<bdi>${one}</bdi> `)}</p>`}
${link && html`<p><a href="${link}" target="_blank" rel="noreferrer noopener">${t.terms}</a></p>`}`
}

/** The page in the other languages: each by its own name, for who reads no other. */
function choice(t: Strings, language: Language, here: string): Html {
  const link = ([one, { name, dir }]: [string, Strings]): Html =>
    one === language
      ? html`<li aria-current="true">${name}</li>`
      : html`<li><a href="${here}${here.includes('?') ? '&' : '?'}lang=${one}" lang="${one}" hreflang="${one}" dir="${dir}">${name}</a></li>`
  return html`<nav aria-label="${t.languages}"><ul class="languages">${Object.entries(languages).map(link)}</ul></nav>`
}

/**
 * The whole document. Its first `<style>` and the `<script>` are constants, so that a policy can
 * allow them by their hash; so can it the second `<style>`, which `brandStyle` makes.
 */
export function shell(t: Strings, of: Shell, main: Html): string {
  const { business } = of
  const test =
    !of.livemode && html`<p class="test"><strong>${t.testMode}</strong> – ${t.testModeMeans}</p>`
  const sender = business !== null && who(business, of.brand)
  const color = brandStyle(of.brand?.color ?? null)
  return html`<!doctype html>
<html lang="${of.language}" dir="${t.dir}">
<head>
<meta charset="utf-8">
<title>${of.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#191d24" media="(prefers-color-scheme: dark)">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="robots" content="noindex">
${of.brand?.logo && html`<link rel="icon" href="${of.brand.logo.path}">`}
${business !== null && preview(of)}
${of.head}
<style>${raw(styles)}</style>
${color && html`<style>${raw(color)}</style>`}
</head>
<body>
<div class="sheet">
${(test || sender) && html`<header>${test}${sender}</header>`}
<main${of.data}>
${main}
</main>
</div>
<footer>${of.here !== null && choice(t, of.language, of.here)}${of.brand && contact(t, of.brand)}<p>${t.poweredBy}</p></footer>
<p class="unseen" id="live" role="status" aria-live="polite"></p>
<script>${raw(script)}</script>
</body>
</html>
`.toString()
}
