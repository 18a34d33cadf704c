import { refuse } from './errors.ts'

/**
 * Reads a URL to which payers are redirected.
 * @param name the field, for the refusal
 * @param livemode whether payers are real: they cannot use the developer's own machine
 * @throws {Refusal} `invalid_redirect_url` unless it is https, or in test mode http on localhost,
 * without a user name
 */
export function readReturnUrl(
  name: string,
  text: string | null | undefined,
  livemode: boolean,
): string | null {
  if (text === undefined || text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const local =
    !livemode &&
    url?.protocol === 'http:' &&
    ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (!url || !(url.protocol === 'https:' || local) || url.username !== '' || url.password !== '')
    refuse(
      'invalid_redirect_url',
      `${name} must be an https URL${livemode ? '' : ', or http on localhost'}.`,
      {
        field: name,
      },
    )
  return url.href
}

/**
 * Appends parameters to the query of a URL. Existing ones stay unchanged, because they may be
 * signed.
 */
export function withParams(href: string, params: Record<string, string>): string {
  const url = new URL(href)
  url.search += `${url.search === '' ? '?' : '&'}${new URLSearchParams(params)}`
  return url.href
}
