/**
 * Converts Markdown to HTML. It escapes text, also text that looks like HTML, and leaves out
 * comments. Headings have GitHub's anchors. Links among the documents lead to their pages, and
 * `POST /payouts` leads to the reference.
 */
import { Marked, type Token, type Tokens } from 'marked'
import { type Html, html, raw } from '../../lib/html.ts'
import { languages } from './samples.ts'
import { code, inLanguages } from './view/layout.ts'

export type Heading = { depth: number; id: string; text: string }

/** Finds the pages of links and operations. */
export type Places = {
  /** Returns the page of a link; null if it is not among the documents. */
  page(target: string): string | null
  /** Returns the place of `POST /payouts` in the reference; null if it is no operation. */
  operation(code: string): string | null
}

/** Returns the anchor of a heading, as GitHub makes it. */
export const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Returns the first word behind the fence. The tests that run samples read the other words. */
const languageOf = (lang = ''): string => lang.split(' ')[0] as string

const isSample = (token: Token | undefined): token is Tokens.Code =>
  token?.type === 'code' && languages.some(({ key }) => key === languageOf(token.lang))

/** Returns the text of tokens without marks. */
const plain = (tokens: Token[]): string =>
  tokens
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')

const marked = new Marked({ gfm: true })

/** Returns the tokens of a document, without the comments that mark its sections. */
export const tokensOf = (text: string): Token[] =>
  marked.lexer(text.replaceAll(/<!--[\s\S]*?-->/g, ''))

/** Returns the blocks of a document as HTML. */
export function blocks(
  tokens: Token[],
  places: Places,
): { main: Html; headings: Heading[]; hasLanguages: boolean } {
  const writer = new Writer(places)
  const main = html`${writer.blocks(tokens)}`
  return { main, headings: writer.headings, hasLanguages: writer.hasLanguages }
}

class Writer {
  readonly headings: Heading[] = []
  hasLanguages = false
  readonly #places: Places
  /** How often each anchor is used. */
  readonly #anchors = new Map<string, number>()

  constructor(places: Places) {
    this.#places = places
  }

  /** Writes blocks. Successive samples in several languages become one block. */
  blocks(tokens: Token[]): Html[] {
    const written: Html[] = []
    const kept = tokens.filter(({ type }) => type !== 'space')
    for (let i = 0; i < kept.length; i++) {
      const samples: Tokens.Code[] = []
      for (let token = kept[i]; isSample(token); token = kept[++i]) samples.push(token)
      if (samples.length > 1) {
        this.hasLanguages = true
        written.push(
          inLanguages(samples.map(({ lang = '', text }) => ({ language: languageOf(lang), text }))),
        )
      } else if (samples[0]) written.push(code(samples[0].text, languageOf(samples[0].lang)))
      const token = kept[i]
      if (token) written.push(this.#block(token))
    }
    return written
  }

  #block(token: Token): Html {
    switch (token.type) {
      case 'heading':
        return this.#heading(token as Tokens.Heading)
      case 'paragraph':
        return html`<p>${this.#inlines(token.tokens)}</p>`
      case 'list': {
        const tag = raw(token.ordered ? 'ol' : 'ul')
        const start = token.ordered && token.start !== 1 && html` start="${token.start}"`
        return html`<${tag}${start}>${(token as Tokens.List).items.map((item) => html`<li>${this.blocks(item.tokens)}</li>`)}</${tag}>`
      }
      case 'code':
        return code(token.text, languageOf(token.lang))
      case 'blockquote':
        return html`<blockquote>${this.blocks(token.tokens ?? [])}</blockquote>`
      case 'hr':
        return html`<hr>`
      case 'table':
        return this.#table(token as Tokens.Table)
      case 'space':
        return html``
      default:
        return this.#inline(token)
    }
  }

  #heading({ depth, tokens }: Tokens.Heading): Html {
    const text = plain(tokens)
    const anchor = anchorOf(text)
    const uses = this.#anchors.get(anchor) ?? 0
    this.#anchors.set(anchor, uses + 1)
    const id = uses === 0 ? anchor : `${anchor}-${uses}`
    this.headings.push({ depth, id, text })
    const tag = raw(`h${depth}`)
    return html`<${tag} id="${id}"><a class="anchor" href="#${id}">${this.#inlines(tokens)}</a></${tag}>`
  }

  #table({ header, rows }: Tokens.Table): Html {
    const head = header.map(({ tokens }) => html`<th>${this.#inlines(tokens)}</th>`)
    const body = rows.map((cells) => {
      const id = this.#rowId(cells[0]?.tokens ?? [])
      return html`<tr${id !== null && html` id="${id}"`}>${cells.map(({ tokens }) => html`<td>${this.#inlines(tokens)}</td>`)}</tr>`
    })
    return html`<div class="wide" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
  }

  /** Returns an anchor for a row whose first cell is a name only, such as an error code. */
  #rowId(firstCell: Token[]): string | null {
    const [first] = firstCell
    const name = firstCell.length === 1 && first?.type === 'codespan' ? (first.text as string) : ''
    if (!/^[\w.-]+$/.test(name) || this.#anchors.has(name)) return null
    this.#anchors.set(name, 1)
    return name
  }

  #inlines(tokens: Token[] | undefined): Html[] {
    return (tokens ?? []).map((token) => this.#inline(token))
  }

  #inline(token: Token): Html {
    switch (token.type) {
      case 'strong':
        return html`<strong>${this.#inlines(token.tokens)}</strong>`
      case 'em':
        return html`<em>${this.#inlines(token.tokens)}</em>`
      case 'del':
        return html`<del>${this.#inlines(token.tokens)}</del>`
      case 'br':
        return html`<br>`
      case 'codespan': {
        const place = this.#places.operation(token.text)
        return place === null
          ? html`<code>${token.text}</code>`
          : html`<a href="${place}"><code>${token.text}</code></a>`
      }
      case 'link': {
        const isElsewhere = /^[a-z][\w+.-]*:/i.test(token.href)
        const isKept = /^(?:https?:|mailto:|#)/.test(token.href)
        const href = isKept ? token.href : isElsewhere ? null : this.#places.page(token.href)
        return href === null
          ? html`${this.#inlines(token.tokens)}`
          : html`<a href="${href}">${this.#inlines(token.tokens)}</a>`
      }
      case 'image':
        return html`${token.text}`
      default:
        return 'tokens' in token && token.tokens
          ? html`${this.#inlines(token.tokens)}`
          : html`${'text' in token ? token.text : token.raw}`
    }
  }
}

/** Converts sentences within a paragraph, such as a description of the OpenAPI document. */
export function prose(text: string): Html {
  const parts = text.split(/(`[^`]+`)/)
  return html`${parts.map((part) => (/^`[^`]+`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`
}

/** Returns the text of a document without marks, for the search. */
export const plainText = (tokens: Token[]): string => plain(tokens)
