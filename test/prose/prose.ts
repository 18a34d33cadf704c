/**
 * Checks the prose of the documents and of the interface: sentences of at most 25 words, few
 * passives, and no word of the stop list. Files with old findings have a count in `baseline.json`,
 * which `--update` can lower and never raise. `--list FILE` prints each finding of a file.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { marked, type Token } from 'marked'
import retextEnglish from 'retext-english'
import retextPassive from 'retext-passive'
import { unified } from 'unified'
import { VFile } from 'vfile'
import { openApiDocument } from '../../src/api/http/openapi.ts'
import { modules } from '../../src/app/modules.ts'

const longestSentence = 25
/** The percentage of sentences in passive voice up to which a text has no finding. */
const passiveShare = 25
const stopList =
  /\b(anew|whoever|whomever|somebody|told|heard|borne|begun|of whom|let(s|ting)? (in|out)|h[eo]lds? against|doors?)\b/gi

type Counts = { long: number; words: number; passive: number }
type Findings = Counts & { lines: string[] }

const english = unified().use(retextEnglish).use(retextPassive).freeze()

/** Returns the plain text of Markdown's inline tokens; code counts as one word with a capital, since it may begin a sentence. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'codespan') return 'Code'
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : ' '
    })
    .join('')
}

/** Returns the paragraphs, list items and table cells of Markdown, without generated sections. */
function paragraphsOf(markdown: string): string[] {
  const written = markdown.replaceAll(/<!-- ([\w ]+) -->[\s\S]*?<!-- \/\1 -->/g, '')
  const paragraphs: string[] = []
  marked.walkTokens(marked.lexer(written), (token) => {
    if (token.type === 'paragraph') paragraphs.push(plainText(token.tokens ?? []))
    if (token.type === 'table')
      for (const cell of token.rows.flat()) paragraphs.push(plainText(cell.tokens))
    if (token.type === 'list_item')
      for (const part of token.tokens ?? [])
        if (part.type === 'text') paragraphs.push(plainText(part.tokens ?? [part]))
  })
  return paragraphs
}

/** Returns each `description` and `summary` of a JSON document. */
function descriptionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    typeof child === 'string' && (key === 'description' || key === 'summary')
      ? paragraphsOf(child)
      : descriptionsIn(child),
  )
}

type Range = { start: { offset: number }; end: { offset: number } }
type Node = { type: string; children?: Node[]; value?: string; position?: unknown }

const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('')

const sentencesOf = (node: Node): Node[] =>
  node.type === 'SentenceNode' ? [node] : (node.children ?? []).flatMap(sentencesOf)

function findIn(paragraphs: readonly string[]): Findings {
  const text = [...new Set(paragraphs)].join('\n\n')
  const file = new VFile(text)
  const tree = english.parse(file)
  english.runSync(tree, file)
  const sentences = sentencesOf(tree as Node)
  const long = sentences.filter(
    ({ children = [] }) =>
      children.filter(({ type }) => type === 'WordNode').length > longestSentence,
  )
  const stopped = [...text.matchAll(stopList)]
  const passives = sentences.filter(({ position }) =>
    file.messages.some(({ place }) => {
      const at = (place as Range).start.offset
      return at >= (position as Range).start.offset && at < (position as Range).end.offset
    }),
  ).length
  const share = Math.round((passives / Math.max(sentences.length, 10)) * 100)
  return {
    long: long.length,
    words: stopped.length,
    passive: share > passiveShare ? share : 0,
    lines: [
      ...long.map((sentence) => `over ${longestSentence} words: ${textOf(sentence)}`),
      ...stopped.map(
        ({ 0: word, index }) => `"${word}": …${text.slice(Math.max(0, index - 40), index + 40)}…`,
      ),
      ...(share > passiveShare ? [`${share} % of sentences in passive voice`] : []),
    ].map((line) => line.replaceAll('\n', ' ')),
  }
}

/** Returns the paragraphs of each text that is checked, by file. */
function readTexts(): Map<string, string[]> {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
    encoding: 'utf8',
  })
  const texts = new Map(
    files
      .trim()
      .split('\n')
      .map((file) => [file, paragraphsOf(readFileSync(file, 'utf8'))] as const),
  )
  const document = openApiDocument([], modules, 'http://localhost')
  texts.set('openapi.json', descriptionsIn(document))
  const outline = 'src/app/cli/outline.json'
  texts.set(outline, descriptionsIn(JSON.parse(readFileSync(outline, 'utf8'))))
  return texts
}

const none: Counts = { long: 0, words: 0, passive: 0 }
const kinds = Object.keys(none) as (keyof Counts)[]
const baselineFile = new URL('baseline.json', import.meta.url)
const baseline: Record<string, Counts> = JSON.parse(readFileSync(baselineFile, 'utf8'))
const [option, listed] = process.argv.slice(2)

const lowered: Record<string, Counts> = {}
let failures = 0
for (const [file, paragraphs] of [...readTexts()].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const found = findIn(paragraphs)
  const allowed = baseline[file] ?? none
  const worse = kinds.filter((kind) => found[kind] > allowed[kind])
  if (worse.length > 0) failures++
  for (const kind of worse)
    console.error(`${file}: ${kind} ${found[kind]}, and the baseline has ${allowed[kind]}`)
  if (worse.length > 0 || (option === '--list' && file === listed))
    for (const line of found.lines) console.error(`  ${line}`)
  const counts = Object.fromEntries(
    kinds.map((kind) => [kind, Math.min(found[kind], allowed[kind])]),
  ) as Counts
  if (kinds.some((kind) => counts[kind] > 0)) lowered[file] = counts
}
if (option === '--update') writeFileSync(baselineFile, `${JSON.stringify(lowered, null, 2)}\n`)
if (failures > 0) console.error('See "How we write" in CONTRIBUTING.md.')
process.exit(failures > 0 ? 1 : 0)
