/**
 * What a browser brings of ours, what it keeps, and where it goes once somebody is signed in.
 */
import type { Cookie, PageRequest } from '../../../core/route.ts'
import {
  deviceCookie,
  deviceCookieAge,
  type SigningIn,
  sessionCookie,
  sessionCookieAge,
} from '../../../platform/team/team.ts'

export const home = '/dashboard'

/** Where a request comes from. */
export const browserOf = ({ address, agent, cookies }: PageRequest): SigningIn => ({
  address,
  device: agent,
  session: cookies[sessionCookie] ?? null,
  deviceToken: cookies[deviceCookie] ?? null,
})

/** The cookies of who is signed in, or has said the password and is asked for more. */
export const cookiesOf = ({
  session,
  deviceToken,
}: {
  session: string
  deviceToken?: string
}): Cookie[] => [
  { name: sessionCookie, value: session, maxAge: sessionCookieAge },
  ...(deviceToken === undefined
    ? []
    : [{ name: deviceCookie, value: deviceToken, maxAge: deviceCookieAge }]),
]

/** The cookie of who has signed out: the device stays known. */
export const noSession: Cookie[] = [{ name: sessionCookie, value: '', maxAge: 0 }]

const here = 'http://dashboard.invalid'

/** A page to go on to, as an address named it: one of the dashboard, or else its start. */
export function nextOf(asked = ''): string {
  if (asked.length > 2_000 || !asked.startsWith(home) || !URL.canParse(asked, here)) return home
  const { origin, pathname, search } = new URL(asked, here)
  const isOurs = origin === here && /^\/dashboard(?:\/(?!sign-(?:in|out)(?:\/|$))|$)/.test(pathname)
  return isOurs ? pathname + search : home
}
