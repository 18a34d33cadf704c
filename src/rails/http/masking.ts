/** Masks a provider's answer for logs, incidents and reports. */

/** Returns a text without keys, addresses and all but the last four digits of long numbers. */
export function masked(text: string, secrets: readonly string[] = []): string {
  const without = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, one) => rest.replaceAll(one, '[hidden]'), text)
  return without
    .replace(/\b((sk|pk|rk|whsec|MK|prod|test)[_-][\w-]{6,}|eyJ[\w.-]+)/g, '[key]')
    .replace(/[^\s'"<>,;]+@[^\s'"<>,;]+/g, '[email]')
    .replace(/\b\d{1,3}(\.\d{1,3}){3}\b|\b[0-9a-f]{0,4}(:[0-9a-f]{0,4}){4,7}\b/gi, '[IP address]')
    .replace(/\d(?:[ -]?\d){5,}/g, (digits) => `***${digits.slice(-4)}`)
    .replaceAll(/[^\P{C}\n]/gu, ' ')
    .slice(0, 500)
}

/** Returns a provider's code or type of a refusal; `…` for a text that does not look like one. */
export const codeToShow = (code: string): string =>
  /^[\w.-]{1,64}$/.test(code) && masked(code) === code ? code : '…'

/** Returns the id that a provider gave a request, from the first of these headers that has one. */
export function requestIdIn(
  headers: Record<string, string | string[] | undefined>,
  ...names: string[]
): string | null {
  const ids = names.map((name) => headers[name])
  return (
    ids.find((id) => typeof id === 'string' && /^[\w.:=/+-]{1,128}$/.test(id))?.toString() ?? null
  )
}
