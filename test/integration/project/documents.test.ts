/**
 * Goal: what the documents name exists. Method: their code spans and links are held against the
 * files of this repository.
 */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { docSections } from '../../../src/web/docs/library.ts'

const documents = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md'),
]
const folders = ['bench', 'bin', 'demo', 'dev', 'docs', 'sdk', 'sim', 'src', 'test']
const patterns = folders.map((folder) => `${folder}/**/*.{ts,md,sql}`)
const names = new Set(
  globSync(patterns, { exclude: ['**/node_modules/**'] }).map((file) => basename(file)),
)
const layers = new Set(globSync('src/*').map((path) => basename(path)))

const read = (file: string): string => readFileSync(file, 'utf8')
const withoutFences = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')
const spansOf = (text: string): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string)

/**
 * Whether a code span says where something in this repository is: by a path from its root or from
 * `src/`, or by a file's name alone.
 */
function isPlace(span: string): boolean {
  if (/^[\w.-]+\.(ts|md|sql)$/.test(span)) return true
  const [first = ''] = span.split('/')
  return (
    /^[\w.-]+(\/[\w.-]+)*\/?$/.test(span) &&
    span.includes('/') &&
    (folders.includes(first) || layers.has(first))
  )
}

/** Where a place is, from the root, or null. */
function findPlace(place: string): string | null {
  const found = [place, `src/${place}`].find((path) => existsSync(path))
  return found ?? (!place.includes('/') && names.has(place) ? place : null)
}

/**
 * Pairs of a file and what is said to be in it, in a line such as: `file`: `name`, `name`; `other`:
 * `name`.
 */
function claimsOf(text: string): { file: string; claimed: string }[] {
  const claims: { file: string; claimed: string }[] = []
  let file: string | null = null
  for (const span of spansOf(text)) {
    if (isPlace(span)) file = span
    else
      claims.push({
        file: file ?? assert.fail(`no file is named before \`${span}\``),
        claimed: span,
      })
  }
  return claims
}

function assertOccurs({ file, claimed }: { file: string; claimed: string }): void {
  // A comment that mentions a name is not the thing that has it.
  const text = read(findPlace(file) ?? assert.fail(`there is no ${file}`))
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replaceAll(/\s+/g, ' ')
  const escaped = claimed.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  assert.match(text, new RegExp(`(?<!\\w)${escaped}(?!\\w)`), `${file} has no ${claimed}`)
}

/** The titles of a file's tests. */
function titlesOf(file: string): Set<string> {
  const calls = read(file).matchAll(
    /\b(?:it|test)\(\s*(?:'((?:[^'\\]|\\.)+)'|"([^"]+)"|`([^`]+)`)/g,
  )
  return new Set([...calls].map((match) => (match[1] ?? match[2] ?? match[3]) as string))
}

/** The rows of all tables of a document, without their heads. */
function rowsOf(text: string): string[][] {
  const lines = withoutFences(text).split('\n')
  const isHead = (i: number): boolean =>
    /^\|[-| ]+\|$/.test(lines[i + 1] ?? '') || /^\|[-| ]+\|$/.test(lines[i] ?? '')
  return lines.flatMap((line, i) =>
    line.startsWith('|') && !isHead(i)
      ? [
          line
            .slice(1, -1)
            .split('|')
            .map((cell) => cell.trim()),
        ]
      : [],
  )
}

const promises = rowsOf(read('docs/promises.md'))

describe('the documents', () => {
  for (const document of documents)
    it(`name only files that exist: ${document}`, () => {
      const text = withoutFences(read(document))
      for (const place of spansOf(text).filter(isPlace))
        assert.ok(findPlace(place), `there is no ${place}`)
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g))
        assert.ok(existsSync(join(dirname(document), target)), `there is no ${target}`)
    })

  it('tell in a README of a few screens what it is, with a picture that is soon there', () => {
    const text = read('README.md')
    const lines = text.trimEnd().split('\n')
    assert.ok(lines.length <= 110, `README.md has ${lines.length} lines, and may have 110`)
    for (const [, picture = ''] of text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      assert.ok(statSync(picture).size <= 200_000, `${picture} has ${statSync(picture).size} bytes`)
    for (const page of globSync('docs/**/*.md'))
      assert.ok(text.includes(`](${page})`), `README.md does not lead to ${page}`)
  })

  it('are each in one section of the docs site', () => {
    const pages = globSync('docs/**/*.md').map((page) => page.slice('docs/'.length, -'.md'.length))
    const listed = docSections.flatMap(({ names }): string[] => [...names])
    assert.deepEqual(listed.sort(), pages.sort())
  })

  it('tell the architecture in ten minutes', () => {
    const lines = read('ARCHITECTURE.md').trimEnd().split('\n')
    assert.ok(lines.length <= 150, `ARCHITECTURE.md has ${lines.length} lines, and may have 150`)
  })

  it('lead through files that have what they are said to have', () => {
    const [, ways = ''] = read('ARCHITECTURE.md').split('## The ways through')
    const steps = (ways.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\d+\. `/.test(line))
    assert.ok(steps.length > 20, `${steps.length} steps`)
    for (const claim of steps.flatMap(claimsOf)) assertOccurs(claim)
  })

  it('name in the table of tasks what its files have', () => {
    const [, tasks = ''] = read('ARCHITECTURE.md').split('## Where do I')
    const claims = [...(tasks.split('\n## ')[0] ?? '').matchAll(/`([\w./-]+\.ts)` \(`(\w+)`\)/g)]
    assert.ok(claims.length >= 5, `${claims.length} claims`)
    for (const [, file = '', name = ''] of claims)
      assert.match(read(`src/${file}`), new RegExp(`\\b${name}\\b`), `${file} has no ${name}`)
  })
})

describe('the table of promises', () => {
  it('has its columns', () => {
    assert.ok(promises.length > 40, `${promises.length} promises`)
    for (const row of promises) assert.equal(row.length, 3, row.join(' | '))
  })

  it('names what is where it says', () => {
    for (const [promise = '', where = ''] of promises) {
      const claims = claimsOf(where)
      assert.ok(claims.length > 0, `${promise}: where?`)
      for (const claim of claims) assertOccurs(claim)
    }
  })

  it('names tests that there are, or says that there is none', () => {
    const ofSecurity = rowsOf(read('SECURITY.md')).map(([promise = '', tests = '']) => [
      promise,
      '',
      tests,
    ])
    assert.ok(ofSecurity.length > 40, `${ofSecurity.length} promises about security`)
    for (const [promise = '', , tests = ''] of [...promises, ...ofSecurity]) {
      const claims = claimsOf(tests)
      assert.ok(claims.length > 0 || tests.startsWith('none yet'), `${promise}: which test?`)
      for (const { file, claimed } of claims)
        assert.ok(titlesOf(file).has(claimed), `${file} has no test '${claimed}'`)
    }
  })
})

describe('the decisions', () => {
  it('have a date each', () => {
    const rows = rowsOf(read('docs/decisions.md'))
    assert.ok(rows.length > 100, `${rows.length} decisions`)
    for (const [date = '', choice] of rows) assert.match(date, /^20\d\d-\d\d-\d\d$/, choice)
  })
})
