/**
 * The pages by which people come in and go: of no business.
 */
import type { App } from '../../../core/app.ts'
import type { PageRoute } from '../../../core/route.ts'
import type { Guards } from '../visit.ts'
import * as account from './account.ts'
import { guarded } from './account-page.ts'
import * as factors from './factors.ts'
import * as links from './links.ts'
import { takeNotices } from './notices.ts'
import * as passkeys from './passkeys.ts'
import * as signingIn from './signing-in.ts'

/** The routes of these pages. */
export function peopleRoutes({ open, personal }: Guards): PageRoute<App>[] {
  const route = (
    method: 'GET' | 'POST',
    path: string,
    handler: PageRoute<App>['handler'],
  ): PageRoute<App> => ({
    method,
    path: `/dashboard/${path}`,
    counted: 'no',
    handler,
  })
  const own = (
    method: 'GET' | 'POST',
    path: string,
    handler: Parameters<typeof guarded>[0],
  ): PageRoute<App> => ({
    ...route(method, `account${path}`, personal(guarded(handler))),
    takes: 'session',
  })
  return [
    route('GET', 'sign-in', open(signingIn.showSignIn)),
    route('POST', 'sign-in', open(signingIn.takeSignIn)),
    route('GET', 'sign-in/second', open(signingIn.showSecond)),
    route('POST', 'sign-in/second', open(signingIn.takeSecond)),
    route('POST', 'sign-in/passkey/challenge', open(passkeys.giveChallenge)),
    route('POST', 'sign-in/passkey', open(passkeys.takePasskey)),
    route('POST', 'sign-out', personal(signingIn.takeSignOut)),
    route('GET', 'invite/{token}', open(links.showInvitation)),
    route('POST', 'invite/{token}', open(links.takeInvitation)),
    route('GET', 'reset', open(links.showAsk)),
    route('POST', 'reset', open(links.takeAsk)),
    route('GET', 'reset/{token}', open(links.showReset)),
    route('POST', 'reset/{token}', open(links.takeReset)),
    own('GET', '', account.showAccount),
    own('POST', '/name', account.takeName),
    own('POST', '/password', account.takePassword),
    own('POST', '/sessions/end', account.takeEndSession),
    own('POST', '/sessions/end-others', account.takeEndOthers),
    own('POST', '/authenticator', factors.takeStart),
    own('GET', '/authenticator', factors.showSetUp),
    own('POST', '/authenticator/confirm', factors.takeConfirm),
    own('GET', '/authenticator/remove', factors.showRemove),
    own('POST', '/authenticator/remove', factors.takeRemove),
    own('POST', '/recovery-codes', factors.takeRenew),
    own('POST', '/notices', takeNotices),
    own('GET', '/passkeys/new', passkeys.showNew),
    own('POST', '/passkeys/challenge', passkeys.giveNewChallenge),
    own('POST', '/passkeys', passkeys.takeNew),
    own('GET', '/passkeys/{id}', passkeys.showOne),
    own('POST', '/passkeys/{id}/name', passkeys.takeName),
    own('POST', '/passkeys/{id}/remove', passkeys.takeRemove),
  ]
}
