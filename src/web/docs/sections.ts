/**
 * The sections of a document, for the search: each with its heading and the anchor of that.
 */
import type { Token } from 'marked'
import { anchorOf, plainText } from './markdown.ts'

export type Section = { id: string | null; heading: string | null; text: string }

/** A text without the marks of Markdown and the addresses of its links. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^```.*$|^[|: -]+$|[`*|]/gm, ' ')
    .replaceAll(/\s+/g, ' ')

/** What stands before the first heading below the title has none. */
export function sectionsOf(tokens: readonly Token[]): Section[] {
  const sections: Section[] = [{ id: null, heading: null, text: '' }]
  for (const token of tokens) {
    const isTitle = token.type === 'heading' && token.depth === 1
    if (token.type === 'heading' && !isTitle) {
      const heading = plainText(token.tokens ?? [])
      sections.push({ id: anchorOf(heading), heading, text: '' })
    } else if (!isTitle) (sections.at(-1) as Section).text += ` ${wordsOf(token.raw)}`
  }
  return sections
}
