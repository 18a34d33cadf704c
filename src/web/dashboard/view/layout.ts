/**
 * What stands around every page: head, band of the mode, menu. Nothing is loaded from anywhere
 * else.
 */
import { type Html, html, type Part } from '../../../lib/html.ts'
import type { Session } from '../../../platform/team/team.ts'
import { assets } from '../assets.ts'
import { menu, openItems } from '../menu.ts'
import type { Place } from '../place.ts'
import { form, icons, notice } from './parts.ts'
import { en } from './strings.ts'

export type Shown = {
  title: string
  main: Html
  /** The pages above this one, from the top: where they are, and what they are called. */
  above?: readonly (readonly [href: string, title: string])[]
  /** Whether it changes by itself: it is loaded again every few seconds. */
  goesOn?: boolean
}

const head = (title: string, script?: string): Html => html`<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<meta name="robots" content="noindex">
<link rel="icon" href="${assets.icon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.styles.path}">
<script src="${assets.script.path}" defer></script>${
  script !== undefined &&
  html`
<script src="${script}" defer></script>`
}
</head>`

/** The first sign of the name, in place of a logo. */
const initial = (name: string): string => ([...name.trim()][0] ?? '').toUpperCase()

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
${head(`${title} · ${words.word} · ${business.name}`)}
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

function sidebar(place: Place): Html {
  const { session, business, mode, base } = place
  const other = mode === 'test' ? 'live' : 'test'
  const others = session.memberships.filter(({ businessId }) => businessId !== business.id)
  return html`<nav class="side" id="menu" aria-label="Main">
<a href="#main" class="close">${icons.close} ${en.closeMenu}</a>
<p class="who"><span class="mark" aria-hidden="true">${initial(business.name)}</span><bdi>${business.name}</bdi></p>
${
  !place.operator &&
  html`<p class="mode"><span class="chip">${en.modes[mode].word}</span> <a href="/dashboard/${business.id}/${other}">${en.modes[mode].other}</a></p>`
}
${
  others.length > 0 &&
  html`<details class="others"><summary>${place.operator ? en.businesses : en.otherBusinesses}</summary><ul>${others.map(
    ({ businessId, name }) =>
      html`<li><a href="/dashboard/${businessId}/${mode}"><bdi>${name}</bdi></a></li>`,
  )}</ul></details>`
}
${
  !place.operator &&
  html`<form class="search" role="search" method="get" action="${base}/search"><div class="input"><input type="search" name="q" aria-label="${en.search.label}" placeholder="${en.search.hint}" maxlength="200" data-search></div></form>`
}
${(place.operator?.menu ?? menu).map((group) => {
  const items = openItems(group, place)
  return (
    items.length > 0 &&
    html`${group.title && html`<h2>${group.title}</h2>`}<ul>${items.map(({ path, title }) => {
      const href = `${base}${path}`
      const current = path === '' ? place.path === href : `${place.path}/`.startsWith(`${href}/`)
      return html`<li><a href="${href}"${current && html` aria-current="page"`}>${title}</a></li>`
    })}</ul>`
  )
})}
<div class="me"><p><bdi>${session.person.email}</bdi></p>
${session.installationOwner && !place.operator && html`<p><a href="/dashboard/operator">${en.operator.word}</a></p>`}
<p><a href="/dashboard/account">${en.account}</a></p>
${signOut(session)}</div>
</nav>`
}

const signOut = ({ csrf }: Session): Html =>
  form(csrf, '/dashboard/sign-out', html`<button class="quiet">${en.signOut}</button>`)

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
${head(`${title} · ${en.product}`, script)}
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
