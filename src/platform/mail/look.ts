/** Renders a business's mail as HTML with its logo and colour. */
import { getBusiness, logoOf } from '../../books/profiles/profiles.ts'
import type { View } from '../../core/inside.ts'
import { inkOn } from '../../lib/colors.ts'

export type Look = {
  business: string
  replyTo: string | null
  /** '#rrggbb'. */
  color: string | null
  logo: { filename: string; content: Buffer; contentType: string } | null
}

/** The current look, whenever the mail was written. */
export async function lookOf(view: View): Promise<Look> {
  const { name, support_email, color, logo } = await getBusiness(view)
  const picture = logo && (await logoOf(view))
  return {
    business: name,
    replyTo: support_email,
    color,
    logo: picture && {
      filename: `logo.${picture.media_type.split('/')[1]}`,
      content: picture.content,
      contentType: picture.media_type,
    },
  }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => entities[sign] as string)

const address = /^https?:\/\/\S+$/

/** The text direction of a language, in HTML's words. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  ['ar', 'fa', 'he', 'ur'].includes(language) ? 'rtl' : 'ltr'

const mostOnButton = 40

/** Whether a line introduces the address after it. */
const leads = (line: string | undefined, next: string | undefined): line is string =>
  line !== undefined &&
  next !== undefined &&
  line.endsWith(':') &&
  line.length <= mostOnButton &&
  address.test(next)

/**
 * Renders a mail's text as HTML that any mail client shows, in its language. An address below a
 * short line that ends with a colon becomes a button.
 */
export function htmlOf(text: string, { business, color, logo }: Look, language: string): string {
  const main = color ?? '#1c4fd6'
  // Mail clients drop attributes around the body, so they are repeated inside.
  const dir = directionOf(language)
  const button = `display:inline-block;padding:12px 20px;border-radius:10px;background:${main};color:${inkOn(main)};font-weight:600;text-decoration:none`
  /** Turns an address into a button, labelled by the short line before it: `See it here:`. */
  const linesOf = (lines: string[]): string[] =>
    lines.flatMap((line, i) => {
      if (leads(line, lines[i + 1])) return []
      if (!address.test(line)) return [escaped(line)]
      const said = lines[i - 1]
      return leads(said, line)
        ? [
            `<a href="${escaped(line)}" style="${button}">${escaped(said.slice(0, -1).trimEnd())}</a>`,
          ]
        : [`<a href="${escaped(line)}" style="word-break:break-all">${escaped(line)}</a>`]
    })
  const paragraphs = text
    .trim()
    .split(/\n{2,}/)
    .map((part) => `<p style="margin:0 0 16px">${linesOf(part.split('\n')).join('<br>\n')}</p>`)
  const picture = logo
    ? `<p style="margin:0 0 24px"><img src="cid:logo" height="40" alt="${escaped(business)}"></p>\n`
    : ''
  return `<!doctype html>
<html lang="${language}" dir="${dir}"><head><meta charset="utf-8"><meta name="color-scheme" content="light"></head>
<body style="margin:0;padding:24px 12px;background:#f4f5f7;color:#161a22;font:16px/1.5 sans-serif;overflow-wrap:anywhere">
<div lang="${language}" dir="${dir}" style="max-width:34rem;margin:0 auto;padding:28px 24px;background:#ffffff;border-top:4px solid ${main};border-radius:8px">
${picture}${paragraphs.join('\n')}
</div>
</body></html>
`
}
