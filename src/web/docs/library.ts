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

/** The documents by what a reader wants to do, in reading order. */
export const docSections = [
  {
    title: 'Integrate',
    about: 'Your code takes payments and pays out: guides, and all that the API does.',
    names: [
      'guides/accept-a-payment',
      'guides/verify-a-webhook',
      'guides/refund',
      'guides/account-numbers',
      'guides/pay-out-to-a-bank',
      'guides/pay-out-stablecoins',
      'guides/invoices',
      'guides/splits',
      'guides/test-everything',
      'guides/errors-and-retries',
      'guides/reconcile',
      'guides/go-live',
      'tour',
      'collecting',
      'selling',
      'tax',
      'journals',
      'bank-statements',
      'webhooks',
      'receivers',
      'errors',
      'lists',
      'explain',
      'sandbox',
      'keys',
      'payout-batches',
      'payout-schedules',
      'beneficiaries',
      'approvals',
      'business',
      'languages',
      'cli',
      'sdks',
      'clients',
      'versions',
      'woocommerce',
    ],
  },
  {
    title: 'Operate',
    about: 'You run the server: deploy it, connect providers, watch it, back it up.',
    names: [
      'deploy',
      'configuration',
      'live',
      'paystack',
      'stripe',
      'bridge',
      'monnify',
      'refusals',
      'stablecoins',
      'operator',
      'pricing',
      'screening',
      'dashboard',
      'team',
      'privacy',
      'operations',
      'observability',
      'backup',
      'processes',
      'scaling',
      'speed',
      'cells',
      'proofs',
    ],
  },
  {
    title: 'Contribute',
    about: 'You change Bursar itself: how it is built, what it promises, and why.',
    names: ['developing', 'promises', 'decisions', 'reliability'],
  },
] as const

const readingOrder: readonly string[] = docSections.flatMap(({ names }) => names)

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

/** Reads the documents by name, in reading order; a page in no section is last. */
export function readLibrary(): Map<string, Doc> {
  const names = globSync('{*,guides/*}.md', { cwd: folder.pathname }).map((file) =>
    posix.normalize(file.replaceAll('\\', '/')).slice(0, -3),
  )
  const place = (name: string): number => readingOrder.indexOf(name) >>> 0
  const sorted = names.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
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
