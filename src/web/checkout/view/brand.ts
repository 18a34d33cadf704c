/**
 * The colours of a business on its pages. What it gave is the colour of its buttons, as far as they
 * are seen on the page; text and lines get the shade of it that can be read there.
 */
import { inkOn, mix, readableOn } from '../../../lib/colors.ts'

/** The backgrounds of the stylesheet, by scheme. */
const schemes = {
  light: { sheet: '#ffffff', soft: '#f4f5f8' },
  dark: { sheet: '#191d24', soft: '#232832' },
}

/** Enough to see where a button is; what stands on it can always be read. */
const seen = 1.5
const readable = 4.5

function colorsIn({ sheet, soft }: { sheet: string; soft: string }, color: string): string {
  const main = readableOn([sheet], color, seen)
  const ink = inkOn(main)
  // Away from what stands on it.
  const over = mix(main, ink === '#ffffff' ? '#000000' : '#ffffff', 0.12)
  const pick = mix(sheet, main, 0.08)
  const link = readableOn([sheet, soft, pick], color, readable)
  return `:root{--main:${main};--main-over:${over};--on-main:${ink};--link:${link};--pick:${pick}}`
}

const made = new Map<string, string>()
const mostKept = 500

/**
 * The text of a second `<style>`, to the letter; null where the colours of the first stay. @param
 * color '#rrggbb'
 */
export function brandStyle(color: string | null): string | null {
  if (color === null) return null
  const known = made.get(color)
  if (known !== undefined) return known
  const style = `${colorsIn(schemes.light, color)}@media (prefers-color-scheme:dark){${colorsIn(schemes.dark, color)}}`
  if (made.size >= mostKept) made.clear()
  made.set(color, style)
  return style
}
