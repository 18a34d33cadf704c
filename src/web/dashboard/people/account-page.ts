/**
 * What stands around each form of who is signed in.
 */
import type { App } from '../../../core/app.ts'
import type { PageAnswer, PageRequest } from '../../../core/route.ts'
import { Refusal } from '../../../lib/errors.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Session } from '../../../platform/team/team.ts'
import { showFor } from '../show.ts'
import { barePage } from '../view/layout.ts'
import { signInAt } from '../view/message.ts'
import { en } from '../view/strings.ts'
import { isUnproved } from '../visit.ts'
import { accountWords as words } from './account-words.ts'

export const accountPath = '/dashboard/account'

/** People are of no business, so that their times are of no time zone but the one that all know. */
const show = showFor({ locale: 'en-GB', time_zone: 'UTC' })
export const timeOf = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${show.time(at.toISOString())} UTC</time>`

export type Handler = (app: App, request: PageRequest, session: Session) => Promise<PageAnswer>

/** A page around a form of the account, with a way back. */
export function accountPage(
  title: string,
  session: Session,
  main: Html,
  status = 200,
  script?: string,
): PageAnswer {
  const back = html`<p><a href="${accountPath}">${words.back}</a></p>`
  const content = html`<h1>${title}</h1>${main}${back}`
  return {
    html: barePage({
      title: status < 400 ? title : en.wrong(title),
      main: content,
      session,
      script,
    }),
    status,
    // Recovery codes, or the secret of an authenticator app.
    ...(status < 400 ? { secret: true as const } : {}),
  }
}

/** Says what is refused; who has to say again who it is finds the way to that. */
export const guarded =
  (handler: Handler): Handler =>
  async (app, request, session) => {
    try {
      return await handler(app, request, session)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const again = isUnproved(error)
      const signIn = html`<p><a class="button" href="${signInAt(accountPath)}&amp;again=1">${words.signInAgain}</a></p>`
      return accountPage(
        words.refused,
        session,
        html`<p>${error.message}</p>${again && signIn}`,
        error.status,
      )
    }
  }
