/**
 * The team of a business: who is in it, as what, and who is asked in. It is the same in both modes.
 */
import { type Ctx, outside } from '../../../core/outside.ts'
import type { PageAnswer } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Id } from '../../../lib/ids.ts'
import {
  changeRole,
  confirmNoSecondFactor,
  findLoosening,
  invitationUrl,
  invite,
  isRole,
  isSecondFactorRequired,
  keepSecondFactor,
  type Loosening,
  listInvitations,
  listMembers,
  mayGive,
  type OpenInvitation,
  type PersonRole,
  removeMember,
  requireFreshFactor,
  requireSecondFactor,
  revokeInvitation,
  roles,
  roleTable,
  type TeamMember,
  teamScope,
} from '../../../platform/team/team.ts'
import { namesOf } from '../approvals.ts'
import type { BusinessPage, Visit } from '../place.ts'
import { icons } from '../view/icons.ts'
import { page } from '../view/layout.ts'
import { messagePage } from '../view/message.ts'
import { badge, code, type Field, fact, facts, field, form, notice } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'
import { isUnproved } from '../visit.ts'
import { teamWords as words } from './team-words.ts'

/** A visit of who has the right `team`, with the role of that, and the scope that teams are of. */
type TeamVisit = Visit & { team: Ctx; role: PersonRole; at: string }

const route = (
  method: 'GET' | 'POST',
  path: string,
  handler: (visit: TeamVisit) => Promise<PageAnswer>,
): BusinessPage => ({
  method,
  path: `/team${path}`,
  async handler(visit) {
    const { ctx, business, session, base } = visit
    const role = session.memberships.find(({ businessId }) => businessId === business.id)?.role
    if (!visit.can('team') || !role || !ctx.scope.actor)
      return messagePage('not_allowed', session, visit)
    const team = outside(ctx, teamScope(ctx, business.id, ctx.scope.actor))
    const at = `${base}/team`
    try {
      return await handler({ ...visit, team, role, at })
    } catch (error) {
      if (!(error instanceof Refusal) || !isUnproved(error)) throw error
      // Not every form has a page of its own to come back to.
      return messagePage('confirm', session, { ...visit, path: at }, error.message)
    }
  },
})

const around = (visit: TeamVisit, title: string, main: Html, above = true): string =>
  page(visit, { title, main, ...(above && { above: [[visit.at, words.title]] }) })

const timeOf = ({ show }: Visit, at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${show.time(at.toISOString())}</time>`

function memberRow(visit: TeamVisit, one: TeamMember): Html {
  const isYou = one.person_id === visit.session.person.id
  return html`<tr><td><a href="${visit.at}/people/${one.person_id}"><bdi>${one.name}</bdi></a></td>
<td>${badge(one.role, 'dim')}</td>
<td><bdi class="clip">${one.email}</bdi>${isYou && html`<span class="hint">${words.you}</span>`}</td>
<td>${badge('factor', one.has_second_factor ? 'good' : 'warn', one.has_second_factor ? words.hasFactor : words.noFactor)}</td>
<td class="less">${one.last_seen_at ? timeOf(visit, one.last_seen_at) : en.none}</td></tr>`
}

function stateOf(visit: TeamVisit, one: OpenInvitation): Html {
  if (one.expires_at <= visit.team.clock.now()) return html`${words.over}`
  const mail = one.mailed_at
    ? words.mailed
    : one.mail_at
      ? words.waits
      : one.mail_tries > 0
        ? words.unmailed
        : words.byLink
  return html`${mail} · ${words.goodUntil} ${timeOf(visit, one.expires_at)}`
}

function invitationRow(visit: TeamVisit, one: OpenInvitation): Html {
  const { session, at, role } = visit
  const revoke = form(
    session.csrf,
    `${at}/revoke`,
    html`<input type="hidden" name="invitation" value="${one.id}"><button class="quiet" aria-label="${words.revokeOf(one.email ?? '')}">${words.revoke}</button>`,
  )
  return html`<li><div><bdi>${one.email}</bdi> ${badge(one.role, 'dim')}<p class="hint">${stateOf(visit, one)}${
    one.inviter !== null && html` · ${words.by} <bdi>${one.inviter}</bdi>`
  }</p></div>${mayGive(role, one.role) && revoke}</li>`
}

/** That nobody is to need a second factor any more, while it waits. */
async function pendingSheet(
  visit: TeamVisit,
  { id, made_by, takes_effect_at }: Loosening,
): Promise<Html> {
  const { session, at, role } = visit
  const nameOf = await namesOf(visit)
  const button = (step: 'confirm' | 'cancel', label: string, kind = '') =>
    form(
      session.csrf,
      `${at}/second-factor/${step}`,
      html`<input type="hidden" name="change" value="${id}"><button class="${kind}">${label}</button>`,
    )
  const isOwn = made_by.id === session.person.id
  return html`<section class="sheet"><h2>${words.pendingTitle}</h2>${facts([
    fact(words.askedBy, nameOf(made_by)),
    fact(words.takesEffect, timeOf(visit, takes_effect_at)),
  ])}<p>${isOwn ? words.pendingOwn : words.pendingOther}</p>${
    role === 'owner' &&
    html`<div class="buttons">${!isOwn && button('confirm', words.confirmPending)}${button('cancel', words.cancelPending, 'second')}</div>`
  }</section>`
}

function requireSheet({ session, at, role }: TeamVisit, required: boolean, waits: boolean): Html {
  const button = html`<input type="hidden" name="required" value="${required ? 'no' : 'yes'}"><button class="second">${
    required ? words.dontRequire : words.require
  }</button>`
  return html`<section class="sheet"><h2>${words.factor}</h2><p>${required ? words.required : words.notRequired}</p>${
    role === 'owner' && !waits && form(session.csrf, `${at}/second-factor`, button)
  }</section>`
}

async function teamPage(visit: TeamVisit): Promise<PageAnswer> {
  const { team, at, request } = visit
  const [members, invitations, required, pending] = await Promise.all([
    listMembers(team),
    listInvitations(team),
    isSecondFactorRequired(team),
    findLoosening(team, 'second_factor'),
  ])
  const done = words.done[request.query.done as keyof typeof words.done]
  const heads = [words.name, words.role, en.filters.email, words.factor, words.lastSeen]
  const main = html`<div class="head"><div><h1>${words.title}</h1></div>
<div class="buttons"><a class="button" href="${at}/invite">${icons.plus} ${words.invite}</a></div></div>
${done !== undefined && notice('good', done)}
<div class="table"><table class="list"><thead><tr>${heads.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${members.map((one) => memberRow(visit, one))}</tbody></table></div>
${
  invitations.length > 0 &&
  html`<section class="sheet"><h2>${words.invited}</h2><ul class="rows">${invitations.map((one) => invitationRow(visit, one))}</ul></section>`
}
${pending && (await pendingSheet(visit, pending))}${requireSheet(visit, required, pending !== null)}`
  return { html: around(visit, words.title, main, false) }
}

const given = ({ role }: TeamVisit): PersonRole[] => roles.filter((one) => mayGive(role, one))

const roleField = (visit: TeamVisit): Field => ({
  name: 'role',
  label: words.role,
  kind: 'select',
  required: true,
  options: given(visit).map((one) => [one, wordOf(one)]),
})

/** What each of the roles is for. */
const meanings = (visit: TeamVisit): Html =>
  html`<details class="more"><summary>${words.meanings}</summary>${facts(given(visit).map((one) => fact(wordOf(one), roleTable[one].meaning)))}</details>`

function invitePage(visit: TeamVisit, wrong: Refusal | null = null): PageAnswer {
  const { session, at, request, team } = visit
  const { email = '', role = 'viewer', shown = '' } = request.form
  const isMailed = team.config.SMTP_URL !== null
  const ofEmail = wrong !== null && ['email_invalid', 'is_member'].includes(wrong.code)
  const emailField: Field = {
    name: 'email',
    label: en.filters.email,
    kind: 'email',
    required: true,
  }
  const shownField: Field = { name: 'shown', label: words.showLink, kind: 'check' }
  const main = html`<div class="narrow"><div class="head"><h1>${words.inviteTitle}</h1></div>
${wrong && notice('bad', ofEmail ? en.mend : wrong.message)}
${form(
  session.csrf,
  `${at}/invite`,
  html`<div class="sheet fields">${field(emailField, email, ofEmail ? wrong.message : null)}${field(roleField(visit), role)}${meanings(visit)}${
    isMailed ? field(shownField, shown) : html`<p class="hint">${words.noMail}</p>`
  }</div><div class="buttons"><button>${isMailed ? words.inviteButton : words.makeLink}</button><a class="button second" href="${at}">${en.cancel}</a></div>`,
)}</div>`
  const title = wrong ? en.wrong(words.inviteTitle) : words.inviteTitle
  return { html: around(visit, title, main), status: wrong?.status ?? 200 }
}

async function takeInvite(visit: TeamVisit): Promise<PageAnswer> {
  const { team, at, request } = visit
  const { email = '', role = '', shown } = request.form
  if (!isRole(role))
    return invitePage(visit, new Refusal('validation_failed', 422, words.chooseRole))
  const how = shown === 'true' || team.config.SMTP_URL === null ? 'shown' : 'mailed'
  try {
    const { token, email: known } = await team.write((work) => invite(work, { email, role }, how))
    if (token === null) return { redirect: `${at}?done=invited` }
    const link = invitationUrl(team, token)
    const main = html`<div class="narrow" data-posted="${at}"><div class="head"><h1>${words.linkTitle}</h1></div><div class="sheet">
<p>${words.linkText(known)}</p><p>${code(link)}</p></div><div class="buttons"><button class="second" hidden data-copy="${link}" data-done="${en.copied}">${words.copyLink}</button><a class="button" href="${at}">${words.linkDone}</a></div></div>`
    return { html: around(visit, words.linkTitle, main), secret: true }
  } catch (error) {
    if (
      error instanceof Refusal &&
      error.status < 500 &&
      error.code !== 'scope_missing' &&
      !isUnproved(error)
    )
      return invitePage(visit, error)
    throw error
  }
}

async function takeRevoke({ team, at, request }: TeamVisit): Promise<PageAnswer> {
  await team.write((work) => revokeInvitation(work, idOf(request.form.invitation)))
  return { redirect: `${at}?done=revoked` }
}

const idForm = /^[0-9a-f]{24}$/

/** @throws {Refusal} `not_found` */
function idOf(text = ''): Id {
  if (!idForm.test(text)) throw new Refusal('not_found', 404, words.gone)
  return text
}

async function memberOf({ team, request }: TeamVisit): Promise<TeamMember> {
  const found = (await listMembers(team)).find(
    ({ person_id }) => person_id === request.params.person,
  )
  if (!found) throw new Refusal('not_found', 404, words.gone)
  return found
}

async function memberPage(visit: TeamVisit, wrong: Refusal | null = null): Promise<PageAnswer> {
  const { session, at, role } = visit
  const one = await memberOf(visit)
  const path = `${at}/people/${one.person_id}`
  const changes = html`<section class="sheet"><h2>${words.changeRole}</h2>${form(
    session.csrf,
    `${path}/role`,
    html`${field(roleField(visit), one.role)}${meanings(visit)}<button>${words.saveRole}</button>`,
  )}</section>
<section class="sheet"><h2>${words.remove}</h2><p>${words.removeMeans}</p><p><a class="button second" href="${path}/remove">${words.remove}</a></p></section>`
  const main = html`<div class="narrow"><div class="head"><h1><bdi>${one.name}</bdi></h1></div>${wrong && notice('bad', wrong.message)}
<section class="sheet">${facts([
    fact(en.filters.email, html`<bdi>${one.email}</bdi>`),
    fact(words.role, wordOf(one.role)),
    fact(words.factor, one.has_second_factor ? words.hasFactor : words.noFactor),
    fact(words.joined, timeOf(visit, one.joined_at)),
    fact(words.lastSeen, one.last_seen_at && timeOf(visit, one.last_seen_at)),
  ])}</section>${mayGive(role, one.role) ? changes : html`<p class="hint">${words.aboveYou}</p>`}</div>`
  return {
    html: around(visit, wrong ? en.wrong(one.name) : one.name, main),
    status: wrong?.status ?? 200,
  }
}

/** Does something to a member; what is refused is said on the page of that. */
async function toMember(
  visit: TeamVisit,
  done: string,
  work: (person: Id) => Promise<void>,
): Promise<PageAnswer> {
  const { person_id } = await memberOf(visit)
  try {
    await work(person_id)
  } catch (error) {
    if (error instanceof Refusal && ['last_owner', 'role_above_own'].includes(error.code))
      return memberPage(visit, error)
    throw error
  }
  // Who has changed the own role may have left the team, or its page.
  return {
    redirect: person_id === visit.session.person.id ? '/dashboard' : `${visit.at}?done=${done}`,
  }
}

function takeRole(visit: TeamVisit): Promise<PageAnswer> {
  const { role = '' } = visit.request.form
  if (!isRole(role))
    return memberPage(visit, new Refusal('validation_failed', 422, words.chooseRole))
  return toMember(visit, 'role', (person) =>
    visit.team.write((work) => changeRole(work, person, role)),
  )
}

async function removePage(visit: TeamVisit): Promise<PageAnswer> {
  const one = await memberOf(visit)
  const isYou = one.person_id === visit.session.person.id
  const path = `${visit.at}/people/${one.person_id}`
  const title = words.removeTitle(one.name)
  const main = html`<div class="narrow"><div class="head"><h1>${title}</h1></div><div class="sheet"><p>${isYou ? words.removeYou : words.removeMeans}</p></div>
${form(
  visit.session.csrf,
  `${path}/remove`,
  html`<div class="buttons"><button class="danger">${words.remove}</button><a class="button second" href="${path}">${en.dont}</a></div>`,
)}</div>`
  return { html: around(visit, title, main) }
}

const takeRemove = (visit: TeamVisit): Promise<PageAnswer> =>
  toMember(visit, 'removed', (person) => visit.team.write((work) => removeMember(work, person)))

async function takeRequire({ team, at, request }: TeamVisit): Promise<PageAnswer> {
  const required = request.form.required === 'yes'
  await team.write((work) => requireSecondFactor(work, required))
  return { redirect: `${at}?done=${required ? 'factor' : 'waits'}` }
}

async function takeConfirm({ team, at, request }: TeamVisit): Promise<PageAnswer> {
  await team.write((work) => confirmNoSecondFactor(work, idOf(request.form.change)))
  return { redirect: `${at}?done=factor` }
}

async function takeCancel({ team, at, request }: TeamVisit): Promise<PageAnswer> {
  await team.write((work) => keepSecondFactor(work, idOf(request.form.change)))
  return { redirect: `${at}?done=kept` }
}

/** The pages of a team. */
export const teamPages: BusinessPage[] = [
  route('GET', '', teamPage),
  route('GET', '/invite', async (visit) => {
    requireFreshFactor(visit.team.scope)
    return invitePage(visit)
  }),
  route('POST', '/invite', takeInvite),
  route('POST', '/revoke', takeRevoke),
  route('POST', '/second-factor', takeRequire),
  route('POST', '/second-factor/confirm', takeConfirm),
  route('POST', '/second-factor/cancel', takeCancel),
  route('GET', '/people/{person}', (visit) => memberPage(visit)),
  route('POST', '/people/{person}/role', takeRole),
  route('GET', '/people/{person}/remove', removePage),
  route('POST', '/people/{person}/remove', takeRemove),
]
