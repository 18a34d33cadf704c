/**
 * Searches the documents: sections by heading, operations, events and records by their words.
 */
import type MiniSearch from 'minisearch'
import { type Html, html } from '../../lib/html.ts'

export type Entry = {
  title: string
  /** What it is: `Guide`, `POST /payouts`. */
  kind: string
  href: string
  /** Its words, without marks. */
  text: string
}

export type Found = Entry & { excerpt: Html }

const mostFound = 40
/** Characters of an excerpt, and how many of them stand before the first match. */
const excerptLength = 180
const excerptLead = 60
/** A shorter word is matched whole: too many others begin with it or differ by one letter. */
const shortWord = 3

/** The index of a site. */
export class SearchIndex {
  readonly #entries: readonly Entry[]
  readonly #index: MiniSearch

  private constructor(entries: readonly Entry[], index: MiniSearch) {
    this.#entries = entries
    this.#index = index
  }

  /** Builds the index, and loads its library: most servers are never asked to search. */
  static async build(entries: readonly Entry[]): Promise<SearchIndex> {
    const { default: MiniSearch } = await import('minisearch')
    const index = new MiniSearch({ fields: ['title', 'kind', 'text'] })
    index.addAll(entries.map((entry, id) => ({ ...entry, id })))
    return new SearchIndex(entries, index)
  }

  /**
   * Returns the best matches first: entries that have all words, else those that have any. Words
   * match by their beginning, and with one wrong letter in six.
   */
  find(query: string): Found[] {
    const options = {
      boost: { title: 4, kind: 2 },
      prefix: (word: string) => word.length >= shortWord,
      fuzzy: (word: string) => (word.length > shortWord ? 0.17 : false),
    }
    const all = this.#index.search(query, { ...options, combineWith: 'AND' })
    const found = all.length > 0 ? all : this.#index.search(query, options)
    return found.slice(0, mostFound).map(({ id, terms }) => {
      const entry = this.#entries[id] as Entry
      return { ...entry, excerpt: excerptOf(entry.text, terms) }
    })
  }
}

/** Returns a part of a text around the first of some words, each of them marked. */
function excerptOf(text: string, words: readonly string[]): Html {
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${words.map(RegExp.escape).join('|')})`, 'giu')
  const at = Math.max(0, text.search(pattern))
  const start = at <= excerptLead ? 0 : text.indexOf(' ', at - excerptLead) + 1
  const part = text.slice(start, start + excerptLength)
  const isCut = start + excerptLength < text.length
  const end = isCut ? part.lastIndexOf(' ') : part.length
  const parts = part.slice(0, end > 0 ? end : undefined).split(pattern)
  return html`${start > 0 && '… '}${parts.map((one, i) => (i % 2 === 1 ? html`<mark>${one}</mark>` : one))}${isCut && ' …'}`
}
