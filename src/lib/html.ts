/**
 * HTML as a value: text is escaped unless it is already HTML, so forgetting to escape is not
 * possible.
 */

/** A piece of HTML that may be put into a page as it is. Made by `html` and `raw` only. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** What may stand in a template: nothing is shown for `null`, `undefined` and `false`. */
export type Part = string | number | Html | null | undefined | false | readonly Part[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it stands in an element or a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] as string)
}

function show(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  return Array.isArray(part) ? part.map(show).join('') : escapeHtml(String(part))
}

/**
 * A template whose values are escaped, except those that are HTML already. Attribute values must
 * stand in quotes.
 */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((all, text, i) => all + show(parts[i - 1]) + text))
}

/**
 * Text taken as HTML. Only for constants of ours and for drawings we made ourselves, never for what
 * anyone typed.
 */
export function raw(trusted: string): Html {
  return new Html(trusted)
}

/**
 * Drops the indentation and the lines that are only a comment, which a payer on a slow network need
 * not wait for.
 */
export function compact(source: string): string {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !/^\/\*.*\*\/$/.test(line))
    .join('\n')
}

/**
 * The address, when following it can only open a page: anything else (`javascript:`) is not linked.
 */
export function webAddress(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null
  return /^https?:$/.test(new URL(address).protocol) ? address : null
}
