/**
 * What who is signed in is mailed about, for each business: one form with a box for each kind.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { type Html, html } from '../../../lib/html.ts'
import { chooseNotices, notices, noticesOf, type Session } from '../../../platform/team/team.ts'
import { field, form, notice } from '../view/parts.ts'
import { accountPath } from './account-page.ts'
import { accountWords as words } from './account-words.ts'

const kinds = Object.entries(notices)

/** The form of each business whose pages the person can see. */
export async function noticeSection(
  app: App,
  { person, memberships, csrf }: Session,
): Promise<Html | false> {
  if (memberships.length === 0) return false
  const chosen = await noticesOf(app, person.id)
  const boxes = (businessId: string): Html[] =>
    kinds.map(([kind, { name }]) =>
      // Ids of a page are its own: the same kinds stand there for each business.
      field(
        { name: `${businessId}.${kind}`, label: name, kind: 'check' },
        String(chosen.get(businessId)?.[kind as keyof typeof notices] === true),
      ),
    )
  const forms = memberships.map(({ businessId, name }) =>
    form(
      csrf,
      `${accountPath}/notices`,
      html`<input type="hidden" name="business" value="${businessId}"><fieldset><legend><bdi>${name}</bdi></legend>${boxes(businessId)}</fieldset><button class="second" aria-label="${words.saveNoticesOf(name)}">${words.saveNotices}</button>`,
    ),
  )
  return html`<section class="sheet"><h2>${words.notices}</h2><p>${words.noticesMean(person.email)}</p>${
    app.config.SMTP_URL === null && notice('info', words.noMail)
  }${forms}</section>`
}

export async function takeNotices(
  app: App,
  { form: sent }: PageRequest,
  session: Session,
): Promise<PageAnswer> {
  const business = sent.business ?? ''
  const chosen = kinds.flatMap(([kind]) => (sent[`${business}.${kind}`] === 'true' ? [kind] : []))
  const isTheirs = session.memberships.some(({ businessId }) => businessId === business)
  if (isTheirs) await chooseNotices(app, session.person.id, business, chosen)
  return { redirect: isTheirs ? `${accountPath}?done=notices` : accountPath }
}
