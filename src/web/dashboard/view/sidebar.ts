/**
 * The menu beside a page: whose it is, the search, and the groups of pages. Its groups fold, and the
 * account's menu opens, without scripts.
 */
import { type Html, html } from '../../../lib/html.ts'
import type { Session } from '../../../platform/team/team.ts'
import { menu, openItems } from '../menu.ts'
import type { MenuItem, Place } from '../place.ts'
import { groupIcons, icons } from './icons.ts'
import { form } from './parts.ts'
import { en } from './strings.ts'

/** Entries of open groups that fit on a screen of 800 pixels. */
const mostRows = 17

type Group = {
  title: string | null
  icon: Html | null
  items: readonly MenuItem[]
  current: MenuItem | null
}

export function sidebar(place: Place): Html {
  const groups = groupsOf(place)
  const open = openGroups(groups)
  return html`<nav class="side" id="menu" aria-label="Main">
<a href="#main" class="close">${icons.close} ${en.closeMenu}</a>
${accountMenu(place)}
${
  !place.operator &&
  html`<form class="search" role="search" method="get" action="${place.base}/search"><div class="input">${icons.search}<input type="search" name="q" aria-label="${en.search.label}" placeholder="${en.search.hint}" maxlength="200" data-search></div></form>`
}
${groups.map((group) => groupOf(place, group, open.has(group)))}
</nav>`
}

/** Returns the groups that have something for the visitor, and where the visitor is. */
function groupsOf(place: Place): Group[] {
  return (place.operator?.menu ?? menu)
    .map((group) => {
      const items = openItems(group, place)
      const current = items.find((item) => isCurrent(place, item)) ?? null
      return {
        title: group.title,
        icon: group.icon ? groupIcons[group.icon] : null,
        items,
        current,
      }
    })
    .filter(({ items }) => items.length > 0)
}

const isCurrent = ({ base, path: at }: Place, { path }: MenuItem): boolean =>
  path === '' ? at === base : `${at}/`.startsWith(`${base}${path}/`)

/** Returns the group of the page, and those from the top that fit beside it. */
function openGroups(groups: readonly Group[]): Set<Group> {
  const open = new Set<Group>()
  let rows = 0
  for (const group of groups.toSorted((a, b) => rankOf(a) - rankOf(b)))
    if (rankOf(group) < 2 || rows + group.items.length <= mostRows) {
      open.add(group)
      rows += group.items.length
    }
  return open
}

/** What is always shown comes first, then where the visitor is. */
const rankOf = ({ title, current }: Group): number => (title === null ? 0 : current ? 1 : 2)

function groupOf({ base }: Place, { title, icon, items, current }: Group, open: boolean): Html {
  const link = (item: MenuItem): Html =>
    html`<li><a href="${base}${item.path}"${item === current && html` aria-current="page"`}>${title === null && icon}${item.title}</a></li>`
  const list = html`<ul>${items.map(link)}</ul>`
  if (title === null) return list
  return html`<details${open && html` open`}><summary>${icon}${title}</summary>${list}</details>`
}

/** The first sign of the name, in place of a logo. */
const initial = (name: string): string => ([...name.trim()][0] ?? '').toUpperCase()

function accountMenu(place: Place): Html {
  const { session, business, mode } = place
  const { memberships, installationOwner, person } = session
  const others = memberships.filter(({ businessId }) => businessId !== business.id)
  const link = (href: string, text: string | Html): Html =>
    html`<li><a href="${href}">${text}</a></li>`
  const word = place.operator ? en.operator.word : en.modes[mode].word
  const switched = `/dashboard/${business.id}/${mode === 'test' ? 'live' : 'test'}`
  return html`<button type="button" class="who" popovertarget="account"><span class="mark" aria-hidden="true">${initial(business.name)}</span><span><bdi>${business.name}</bdi><small><span class="unseen">${en.accountMenu}</span> ${word}</small></span>${icons.unfold}</button>
<div class="account" id="account" popover>
${!place.operator && html`<ul>${link(switched, en.modes[mode].other)}</ul>`}
${
  others.length > 0 &&
  html`<p>${place.operator ? en.businesses : en.otherBusinesses}</p><ul class="others">${others.map(
    ({ businessId, name }) => link(`/dashboard/${businessId}/${mode}`, html`<bdi>${name}</bdi>`),
  )}</ul>`
}
<p class="me"><bdi>${person.email}</bdi></p>
<ul>${link('/dashboard/account', en.account)}${installationOwner && !place.operator && link('/dashboard/operator', en.operatorPages)}</ul>
${signOut(session)}</div>`
}

export const signOut = ({ csrf }: Session): Html =>
  form(csrf, '/dashboard/sign-out', html`<button class="quiet">${en.signOut}</button>`)
