/**
 * The documents: the files of `docs/`, found once, and read when they are asked for.
 */
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'

const folder = new URL('../../../docs/', import.meta.url)

export type Doc = {
  /** `webhooks`, or `guides/refund`. */
  name: string
  title: string
  /** The first paragraph, on one line and without marks. */
  about: string
  text: string
}

/** The guides, in the order in which they are read. */
export const guideOrder = [
  'accept-a-payment',
  'verify-a-webhook',
  'refund',
  'account-numbers',
  'pay-out-to-a-bank',
  'pay-out-stablecoins',
  'invoices',
  'splits',
  'test-everything',
  'go-live',
  'errors-and-retries',
  'reconcile',
]

const read = (name: string): Doc => {
  const text = readFileSync(new URL(`${name}.md`, folder), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  const [about = ''] = text.replace(/^# .+\n+/m, '').split(/\n\n/)
  return {
    name,
    title,
    text,
    about: about.replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)|`/g, '$1'),
  }
}

/**
 * The documents by name: the guides first, in their order. They are read once, by who calls it
 * first.
 */
export function readLibrary(): Map<string, Doc> {
  const names = globSync('{*,guides/*}.md', { cwd: folder.pathname }).map((file) =>
    posix.normalize(file.replaceAll('\\', '/')).slice(0, -3),
  )
  const place = (name: string): string => {
    const at = guideOrder.indexOf(name.replace('guides/', ''))
    return name.startsWith('guides/') ? `0${String(at < 0 ? 99 : at).padStart(2, '0')}` : `1${name}`
  }
  const sorted = names.sort((a, b) => (place(a) < place(b) ? -1 : 1))
  return new Map(sorted.map((name) => [name, read(name)]))
}

/**
 * The page that a link of a document leads to: `webhooks.md#signature`, seen from `guides/refund`.
 * Null where it leaves the documents.
 */
export function pageOf(
  library: ReadonlyMap<string, Doc>,
  from: string,
  target: string,
): string | null {
  const [path = '', anchor] = target.split('#')
  const name = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\.md$/, '')
  return library.has(name) ? `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}` : null
}
