/**
 * The documents for programs that read text: `/llms.txt`, as llmstxt.org has it, and
 * `/llms-full.txt` with what it links to.
 */
import type { Reference } from './document.ts'
import type { Doc } from './library.ts'

const about =
  'An open, self-hosted merchant payments server: hosted checkout, virtual accounts, invoices, splits, wallets over a double-entry ledger, payouts to banks and stablecoin addresses, signed webhooks.'

/** Pages for who develops Bursar, not for who uses it. */
const internal = ['decisions', 'promises', 'processes']
const isForUsers = ({ name }: Doc): boolean => !internal.includes(name)

/** The list of what there is to read. */
export function llmsText(url: string, docs: readonly Doc[], { groups }: Reference): string {
  const link = ({ name, title, about: said }: Doc): string =>
    `- [${title}](${url}/docs/${name}.md)${said === '' ? '' : `: ${said}`}`
  const guides = docs.filter(({ name }) => name.startsWith('guides/'))
  const others = docs.filter((doc) => !guides.includes(doc) && isForUsers(doc))
  return [
    '# Bursar',
    `> ${about}`,
    'Amounts are integers in minor units. Every answer is `{message, data}`; a refusal has `errors.code`. Test keys begin with `sk_test_`.',
    '## API',
    `- [OpenAPI 3.1 document](${url}/openapi.json): every operation, field, event and refusal\n- [Everything below in one file](${url}/llms-full.txt)`,
    '## Guides',
    guides.map(link).join('\n'),
    '## Reference',
    groups
      .map((group) => `- [${group.name}](${url}/docs/api/${group.slug}): ${group.description}`)
      .join('\n'),
    '## Docs',
    others.map(link).join('\n'),
    '',
  ].join('\n\n')
}

/** All of it: a line for each operation, then the documents. */
export function llmsFullText(
  url: string,
  docs: readonly Doc[],
  { groups, about: api }: Reference,
): string {
  const operations = groups.flatMap((group) => [
    `### ${group.name}\n\n${group.description}\n`,
    ...group.operations.map(
      ({ method, path, summary, description }) =>
        `- \`${method} ${path}\`: ${summary}.${description === '' ? '' : ` ${description}`}`,
    ),
    ...group.events.map(({ type, meaning }) => `- \`${type}\`: ${meaning}`),
    '',
  ])
  return [
    `# Bursar\n\n> ${about}\n\n${api}\n\nFields and schemas: ${url}/openapi.json\n\n## Operations\n`,
    ...operations,
    ...docs.filter(isForUsers).map(({ text }) => `\n---\n\n${text}`),
  ].join('\n')
}
