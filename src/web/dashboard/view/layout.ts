/**
 * What stands around every page: head, band of the mode, menu. Nothing is loaded from anywhere
 * else.
 */
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Session } from '../../../platform/team/team.ts'
import { assets } from '../assets.ts'
import type { Place } from '../place.ts'
import { icons } from './icons.ts'
import { notice } from './parts.ts'
import { sidebar, signOut } from './sidebar.ts'
import { en } from './strings.ts'
import { colors } from './styles.ts'

export type Shown = {
  title: string
  main: Html
  /** The pages above this one, from the top: where they are, and what they are called. */
  above?: readonly (readonly [href: string, title: string])[]
  /** Whether it changes by itself: it is loaded again every few seconds. */
  goesOn?: boolean
}

const head = (title: string, color: keyof typeof colors.light, script?: string): Html => html`<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${(['light', 'dark'] as const).map((scheme) => html`<meta name="theme-color" media="(prefers-color-scheme: ${scheme})" content="${colors[scheme][color]}">`)}
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="robots" content="noindex">
<link rel="icon" href="${assets.icon.path}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${assets.icon192.path}">
<link rel="manifest" href="${assets.manifest.path}">
<link rel="stylesheet" href="${assets.styles.path}">
<script src="${assets.script.path}" defer></script>${
  script !== undefined &&
  html`
<script src="${script}" defer></script>`
}
</head>`

/** A page of a business, in a mode. */
export function page(place: Place, { title, main, above = [], goesOn = false }: Shown): string {
  const { business, mode } = place
  const words = place.operator ? en.operator : en.modes[mode]
  const crumbs =
    above.length > 0 &&
    html`<nav class="crumbs" aria-label="Breadcrumb"><ol>${above.map(
      ([href, text]) => html`<li><a href="${href}">${text}</a></li>`,
    )}</ol></nav>`
  return html`<!doctype html>
<html lang="en">
${head(`${title} · ${words.word} · ${business.name}`, mode)}
<body class="${mode}"${goesOn && html` data-again`}>${goesOn && html`<noscript><meta http-equiv="refresh" content="5"></noscript>`}
<a class="skip" href="#main">${en.skip}</a>
<p class="band"><strong>${words.word}</strong> – ${words.means}</p>
<div class="bar"><a href="#menu" class="open">${icons.menu} ${en.menu}</a><bdi>${business.name}</bdi></div>
<div class="frame">
${sidebar(place)}
<main id="main" tabindex="-1">
${place.stopped && notice('warn', en.stopped(place.stopped))}
${crumbs}
${main}
</main>
</div>
</body>
</html>
`.toString()
}

/** A page of no business: to sign in, or about who is signed in. */
export function barePage({
  title,
  main,
  session = null,
  wide = false,
  script,
}: Shown & { session?: Session | null; wide?: boolean; script?: string | undefined }): string {
  const me: Part =
    session !== null &&
    html`<div class="me"><a href="/dashboard">${en.home}</a> <a href="/dashboard/account"><bdi>${session.person.email}</bdi></a> ${signOut(session)}</div>`
  return html`<!doctype html>
<html lang="en">
${head(`${title} · ${en.product}`, 'back', script)}
<body class="bare">
<a class="skip" href="#main">${en.skip}</a>
<header class="alone"><a href="/dashboard" class="brand">${en.product}</a>${me}</header>
<main id="main" tabindex="-1"${wide && html` class="wide"`}>
${main}
</main>
</body>
</html>
`.toString()
}
