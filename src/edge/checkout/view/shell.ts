/**
 * What stands around every page: the document, its head, header and footer. Nothing is loaded from anywhere.
 */
import { type Html, html, type Part, raw } from '../../../lib/html.ts'
import type { Language } from './model.ts'
import { script } from './script.ts'
import type { Strings } from './strings.ts'
import { styles } from './styles.ts'

export type Shell = {
  language: Language
  title: string
  /** Null on pages that belong to no business. */
  business: string | null
  livemode: boolean
  /** The attributes of `<main>`: what the script needs to know. */
  data?: Html
  /** What else belongs in the head. */
  head?: Part
}

/** The first sign of the name, in place of a logo. */
const initial = (name: string): string => ([...name.trim()][0] ?? '').toUpperCase()

/** The whole document. The `<style>` and the `<script>` are constants, so that a policy can allow them by their hash. */
export function shell(t: Strings, of: Shell, main: Html): string {
  const { business } = of
  const test = !of.livemode && html`<p class="test"><strong>${t.testMode}</strong> – ${t.testModeMeans}</p>`
  const who =
    business !== null &&
    html`<p class="who"><span class="mark" aria-hidden="true">${initial(business)}</span><bdi>${business}</bdi></p>`
  return html`<!doctype html>
<html lang="${of.language}">
<head>
<meta charset="utf-8">
<title>${of.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#ffffff" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#191d24" media="(prefers-color-scheme: dark)">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="robots" content="noindex">
${of.head}
<style>${raw(styles)}</style>
</head>
<body>
<div class="sheet">
${(test || who) && html`<header>${test}${who}</header>`}
<main${of.data}>
${main}
</main>
</div>
<footer><p>${t.poweredBy}</p></footer>
<p class="unseen" id="live" role="status" aria-live="polite"></p>
<script>${raw(script)}</script>
</body>
</html>
`.toString()
}
