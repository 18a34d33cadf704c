/** HTML as a value: templates escape every text that is not HTML already. */

/** Safe HTML, created by `html` and `raw` only. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** The values in a template; `null`, `undefined` and `false` are omitted. */
export type Part = string | number | Html | null | undefined | false | readonly Part[]

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for an element or a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] as string)
}

function show(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  return Array.isArray(part) ? part.map(show).join('') : escapeHtml(String(part))
}

/** Creates HTML from a template and escapes its values. Attribute values must be quoted. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.reduce((all, text, i) => all + show(parts[i - 1]) + text))
}

/** Marks text as HTML. Only for constants and our own drawings, never for input. */
export function raw(trusted: string): Html {
  return new Html(trusted)
}

/** Removes indentation and comment lines, to save bytes on slow networks. */
export function compact(source: string): string {
  return source
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//') && !/^\/\*.*\*\/$/.test(line))
    .join('\n')
}

/** Returns the address if it is safe to link, as `javascript:` is not; else null. */
export function webAddress(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null
  return /^https?:$/.test(new URL(address).protocol) ? address : null
}
