/**
 * The pages by which people come in and go: of no business.
 */
import type { App } from '../../../core/app.ts'
import type { PageRoute } from '../../../core/route.ts'
import type { Guards } from '../visit.ts'
import * as links from './links.ts'
import * as signingIn from './signing-in.ts'

/** The routes of these pages. */
export function peopleRoutes({ open, personal }: Guards): PageRoute<App>[] {
  const route = (method: 'GET' | 'POST', path: string, handler: PageRoute<App>['handler']): PageRoute<App> => ({
    ...{ method, path: `/dashboard/${path}`, counted: 'no', handler },
  })
  return [
    route('GET', 'sign-in', open(signingIn.showSignIn)),
    route('POST', 'sign-in', open(signingIn.takeSignIn)),
    route('GET', 'sign-in/second', open(signingIn.showSecond)),
    route('POST', 'sign-in/second', open(signingIn.takeSecond)),
    route('POST', 'sign-out', personal(signingIn.takeSignOut)),
    route('GET', 'invite/{token}', open(links.showInvitation)),
    route('POST', 'invite/{token}', open(links.takeInvitation)),
    route('GET', 'reset', open(links.showAsk)),
    route('POST', 'reset', open(links.takeAsk)),
    route('GET', 'reset/{token}', open(links.showReset)),
    route('POST', 'reset/{token}', open(links.takeReset)),
  ]
}
