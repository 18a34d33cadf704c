/**
 * Markdown as HTML. Text is escaped, also what looks like HTML; comments are left out; headings
 * have the anchors that they have at GitHub; links among the documents lead to their pages; and
 * `POST /payouts` leads to the reference.
 */
import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html, raw } from '../../lib/html.ts'
import { languages } from './samples.ts'
import { code, inLanguages } from './view/layout.ts'

export type Heading = { depth: number; id: string; text: string }

/** Where links of a document lead, and where operations stand. */
export type Places = {
  /** The page of a link; null where it is not among the documents. */
  page(target: string): string | null
  /** The place of `POST /payouts` in the reference; null of what is no operation. */
  operation(code: string): string | null
}

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')

/** The first word behind the fence; what follows it is for the tests that run samples. */
const languageOf = (lang = ''): string => lang.split(' ')[0] as string

const isSample = (token: Token | undefined): token is Tokens.Code =>
  token?.type === 'code' && languages.some(({ key }) => key === languageOf(token.lang))

/** Text as it is, without its marks. */
const plain = (tokens: Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')

const marked = new Marked({ gfm: true })

/** The tokens of a document, without the comments that mark its sections. */
export const tokensOf = (text: string): Token[] =>
  marked.lexer(text.replaceAll(/<!--[\s\S]*?-->/g, ''))

/** Blocks of a document, as HTML. */
export function blocks(
  tokens: Token[],
  places: Places,
): { main: Html; headings: Heading[]; hasLanguages: boolean } {
  const headings: Heading[] = []
  const used = new Map<string, number>()
  let hasLanguages = false

  const inline = (found: Token[] | undefined): Html[] => (found ?? []).map(inlineOf)
  function inlineOf(token: Token): Html {
    switch (token.type) {
      case 'strong':
        return html`<strong>${inline(token.tokens)}</strong>`
      case 'em':
        return html`<em>${inline(token.tokens)}</em>`
      case 'del':
        return html`<del>${inline(token.tokens)}</del>`
      case 'br':
        return html`<br>`
      case 'codespan': {
        const place = places.operation(token.text)
        return place === null
          ? html`<code>${token.text}</code>`
          : html`<a href="${place}"><code>${token.text}</code></a>`
      }
      case 'link': {
        const isElsewhere = /^[a-z][\w+.-]*:/i.test(token.href)
        const isKept = /^(?:https?:|mailto:|#)/.test(token.href)
        const href = isKept ? token.href : isElsewhere ? null : places.page(token.href)
        return href === null
          ? html`${inline(token.tokens)}`
          : html`<a href="${href}">${inline(token.tokens)}</a>`
      }
      case 'image':
        return html`${token.text}`
      default:
        return 'tokens' in token && token.tokens
          ? html`${inline(token.tokens)}`
          : html`${'text' in token ? token.text : token.raw}`
    }
  }

  function blockOf(token: Token): Html {
    switch (token.type) {
      case 'heading': {
        const text = plain(token.tokens ?? [])
        const anchor = anchorOf(text)
        const again = used.get(anchor) ?? 0
        used.set(anchor, again + 1)
        const id = again === 0 ? anchor : `${anchor}-${again}`
        headings.push({ depth: token.depth, id, text })
        const tag = raw(`h${token.depth}`)
        return html`<${tag} id="${id}"><a class="anchor" href="#${id}">${inline(token.tokens)}</a></${tag}>`
      }
      case 'paragraph':
        return html`<p>${inline(token.tokens)}</p>`
      case 'list': {
        const tag = raw(token.ordered ? 'ol' : 'ul')
        const start = token.ordered && token.start !== 1 && html` start="${token.start}"`
        return html`<${tag}${start}>${(token as Tokens.List).items.map((item) => html`<li>${all(item.tokens)}</li>`)}</${tag}>`
      }
      case 'code':
        return code(token.text, '')
      case 'blockquote':
        return html`<blockquote>${all(token.tokens ?? [])}</blockquote>`
      case 'hr':
        return html`<hr>`
      case 'table': {
        const { header, rows } = token as Tokens.Table
        return html`<div class="wide" tabindex="0"><table><thead><tr>${header.map(({ tokens: cell }) => html`<th>${inline(cell)}</th>`)}</tr></thead><tbody>${rows.map(
          (cells) => {
            const [first] = cells[0]?.tokens ?? []
            // A row that is of a name can be led to by it, such as a code of the errors.
            const name =
              cells[0]?.tokens.length === 1 && first?.type === 'codespan'
                ? (first.text as string)
                : ''
            const id = /^[\w.-]+$/.test(name) && !used.has(name) ? name : null
            if (id !== null) used.set(id, 1)
            return html`<tr${id !== null && html` id="${id}"`}>${cells.map(({ tokens: cell }) => html`<td>${inline(cell)}</td>`)}</tr>`
          },
        )}</tbody></table></div>`
      }
      case 'space':
        return html``
      default:
        return inlineOf(token)
    }
  }

  function all(found: Token[]): Html[] {
    const shown: Html[] = []
    const kept = found.filter(({ type }) => type !== 'space')
    for (let i = 0; i < kept.length; i++) {
      const samples: Tokens.Code[] = []
      for (let token = kept[i]; isSample(token); token = kept[++i]) samples.push(token)
      if (samples.length > 1) {
        hasLanguages = true
        shown.push(
          inLanguages(samples.map(({ lang = '', text }) => ({ language: languageOf(lang), text }))),
        )
      } else if (samples[0]) shown.push(code(samples[0].text))
      const token = kept[i]
      if (token) shown.push(blockOf(token))
    }
    return shown
  }

  return { main: html`${all(tokens)}`, headings, hasLanguages }
}

/** A sentence or some, such as a description of the OpenAPI document, within a paragraph. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`)/)
  return html`${parts.map((part) => (/^`[^`]+`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`
}

/** Text of a document without its marks: what is sought in. */
export const plainText = (tokens: Token[]): string => plain(tokens)
