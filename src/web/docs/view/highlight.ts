/** Colours samples by their language. */
import { createRequire } from 'node:module'
import { type Html, html, raw } from '../../../lib/html.ts'

const languages = ['bash', 'javascript', 'json', 'php', 'python', 'sql', 'typescript', 'yaml']

/** What is used of highlight.js. Its own types declare the whole DOM, which no server has. */
type Highlighter = {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(text: string, options: { language: string; ignoreIllegals: true }): { value: string }
}

let loaded: Highlighter | null = null

function load(): Highlighter {
  const require = createRequire(import.meta.url)
  const highlighter = require('highlight.js/lib/core') as Highlighter
  for (const name of languages)
    highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
  return highlighter
}

/** Returns a text of machines with its words marked; one of an unknown language as it is. */
export function highlighted(text: string, language: string): Html {
  loaded ??= load()
  if (!loaded.getLanguage(language)) return html`${text}`
  return raw(loaded.highlight(text, { language, ignoreIllegals: true }).value)
}
