/**
 * Writes the sections of the docs that are made from the code, between markers such as `<!-- errors
 * -->` and `<!-- /errors -->`. `node docs/generate.ts` rewrites them; with `--check` it changes
 * nothing and exits 1 if one differs.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { operationsRefusing } from '../src/api/http/refusals.ts'
import { addIntegratorCommands } from '../src/app/cli/integrators.ts'
import { addOperatingCommands } from '../src/app/cli/operating.ts'
import { graft, outlineOf } from '../src/app/cli/outline.ts'
import { newProgram } from '../src/app/cli/program.ts'
import { modules, routes as ofKeys, ofPeople, refusals } from '../src/app/modules.ts'
import { defaultPricing, makePricing } from '../src/books/pricing/pricing.ts'
import { magicNumbers } from '../src/collecting/customers/documents.ts'
import { disputeStates } from '../src/collecting/disputes/states.ts'
import { attemptStates, paymentStates } from '../src/collecting/payments/states.ts'
import { refundStates } from '../src/collecting/refunds/states.ts'
import { returnStates } from '../src/collecting/returns/states.ts'
import type { PriceRequest } from '../src/core/pricing.ts'
import type { Route } from '../src/core/route.ts'
import { keyScopes } from '../src/core/scopes.ts'
import { configurationTable } from '../src/lib/config.ts'
import { type Currency, formatMoney } from '../src/lib/money.ts'
import { stateDiagram } from '../src/lib/states.ts'
import { payoutStates } from '../src/paying-out/payouts/states.ts'
import { roles, roleTable } from '../src/platform/team/team.ts'
import type { CertainRefusal } from '../src/rails/http/refusals.ts'
import { magicHolders } from '../src/rails/sandbox/accounts.ts'
import { testCards } from '../src/rails/sandbox/cards.ts'
import { magic } from '../src/rails/sandbox/sandbox.ts'
import { invoiceStates } from '../src/selling/invoices/states.ts'
import { rightsTable } from '../src/web/dashboard/rights.ts'

/** A Markdown table. A cell's `|` would end the cell. */
function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function errorTable(): string {
  const rows = Object.entries(refusals).sort(([, [a]], [, [b]]) => a - b)
  const routes = modules.flatMap(({ routes, ofOperator }) =>
    Object.values({ ...routes, ...ofOperator }),
  )
  return table(
    ['Code', 'Status', 'Meaning', 'Operations'],
    rows.map(([code, [status, meaning]]) => [
      `\`${code}\``,
      String(status),
      meaning,
      operationsRefusing(code, routes),
    ]),
  )
}

function magicTable(): string {
  return table(
    ['Account number', 'Crypto address', 'What happens'],
    Object.entries(magic).map(([number, { meaning }]) => [
      `\`${number.padStart(10, '0')}\``,
      `\`0x${number.padStart(40, '0')}\``,
      meaning,
    ]),
  )
}

function cardTable(): string {
  const rows = Object.entries(testCards).map(([number, { meaning }]) => [
    `\`${number.replaceAll(/(\d{4})(?=\d)/g, '$1 ')}\``,
    meaning,
  ])
  return table(['Card number', 'What happens'], rows)
}

function documentTable(): string {
  const rows = Object.entries(magicNumbers).map(([number, { failure, later, review, meaning }]) => [
    `\`${number}\``,
    review
      ? 'is `pending`'
      : `${later ? 'is `pending`, then ' : ''}${failure === null ? 'is `verified`' : `fails: \`${failure}\``}`,
    meaning,
  ])
  return table(['The digits as a number', 'What happens', 'Meaning'], rows)
}

function holderTable(): string {
  const rows = Object.entries(magicHolders).map(([name, { meaning }]) => [`\`${name}\``, meaning])
  return table(['`account_name`', 'What happens'], rows)
}

/** What a command says of itself, 80 columns wide. */
function helpOf(command: Command): string {
  let text = ''
  const keep = (part: string): void => {
    text += part
  }
  command
    .configureOutput({ writeOut: keep, getOutHelpWidth: () => 80, getOutHasColors: () => false })
    .outputHelp()
  return text.trimEnd()
}

/** What each command for integrators says of itself. */
function helpTexts(): string {
  const program = new Command('bursar')
  addIntegratorCommands(program, {}, () => program)
  const leaves = program.commands.flatMap((one) => (one.commands.length > 0 ? one.commands : [one]))
  return leaves.map((one) => fenced('', helpOf(one))).join('\n\n')
}

const examples: PriceRequest[] = [
  {
    amount: 1_000_000n,
    currency: 'ngn',
    method: 'bank_transfer',
    destinationCurrency: 'ngn',
    chain: null,
  },
  {
    amount: 1_000_000n,
    currency: 'usd',
    method: 'bank_transfer',
    destinationCurrency: 'usd',
    chain: null,
  },
  {
    amount: 100_000n,
    currency: 'usd',
    method: 'bank_transfer',
    destinationCurrency: 'ngn',
    chain: null,
  },
  {
    amount: 100_000_000n,
    currency: 'ngn',
    method: 'crypto',
    destinationCurrency: 'usdc',
    chain: 'base',
  },
  {
    amount: 100_000n,
    currency: 'usd',
    method: 'crypto',
    destinationCurrency: 'usdt',
    chain: 'ethereum',
  },
]

function priceTable(): string {
  const pricing = makePricing(defaultPricing)
  const rows = examples.map((request) => {
    const { amount, currency, method, destinationCurrency, chain } = request
    const price = pricing.price(request)
    if (!price)
      throw new Error(
        `the default table does not sell ${method} from ${currency} to ${destinationCurrency}`,
      )
    const money = (value: bigint, of: Currency = currency): string => formatMoney(value, of)
    return [
      `${money(amount)} by \`${method}\`${chain === null ? '' : ` on ${chain}`}`,
      price.breakdown.map((part) => `${part.type} ${money(part.amount)}`).join(', '),
      money(price.fee),
      money(price.net),
      `\`${price.rate}\``,
      money(price.destinationAmount, destinationCurrency),
    ]
  })
  return table(
    ['Payout', 'Parts of the fee', '`fee`', '`net_amount`', '`rate`', '`destination_amount`'],
    rows,
  )
}

function scopeTable(): string {
  const rows = keyScopes.map((scope) => {
    const allowed = ofKeys.filter((route) => route.scope === scope)
    return [
      `\`${scope}\``,
      allowed.map(({ method, path }) => `\`${method} ${path}\``).join(', ') || 'nothing yet',
    ]
  })
  return table(['Scope', 'Operations'], rows)
}

function rolesTable(): string {
  const rightsText = (rights: readonly string[]): string =>
    rights.map((right) => `\`${right}\``).join(', ')
  const rows = roles.map((role) => {
    const { meaning, live, test } = roleTable[role]
    return [
      role,
      meaning,
      rightsText(live),
      test.join() === live.join() ? 'the same' : rightsText(test),
    ]
  })
  return table(['Role', 'What it is for', 'Rights, live mode', 'Rights, test mode'], rows)
}

function dashboardTable(): string {
  const routes = new Map([...ofKeys, ...ofPeople].map((route) => [route.id, route] as const))
  const who = (having: readonly string[]): string =>
    having.length === 0 ? 'nobody' : having.join(', ')
  const rows = rightsTable((id) => routes.get(id) as Route).map(
    ({ resource, action, scope, live, test }) => [
      `${resource.title}: ${action.title}`,
      `\`${scope}\``,
      who(live),
      test.join() === live.join() ? 'the same' : who(test),
    ],
  )
  return table(['Action', 'Needs', 'Roles, live mode', 'Roles, test mode'], rows)
}

const root = new URL('../', import.meta.url)

/**
 * The certain refusals of every provider: each table that a `refusals.ts` below `src/rails/`
 * exports, such as `payoutRefusals`.
 */
async function certainRefusals(): Promise<string> {
  const parts: string[] = []
  for (const file of globSync('src/rails/*/refusals.ts', { cwd: root }).sort()) {
    const folder = file.split('/').at(-2) as string
    const tables: Record<string, readonly CertainRefusal<string>[]> = await import(
      new URL(file, root).href
    )
    for (const [name, lines] of Object.entries(tables).filter(([, one]) => Array.isArray(one)))
      parts.push(
        `### ${folder[0]?.toUpperCase()}${folder.slice(1)}: ${titleOf(name)}`,
        fittingTable(lines),
      )
  }
  return parts.join('\n\n')
}

/** `lookUpRefusals` is "look ups". */
const titleOf = (name: string): string =>
  name.replace(/Refusals$/, 's').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A table of certain refusals, and below it the texts that leave the outcome open all the same. */
function fittingTable(lines: readonly CertainRefusal<string>[]): string {
  const sourceOf = (pattern: RegExp): string =>
    `\`${pattern.source.replace(/^\^([\w.-]*)\$$/, '$1')}\``
  const open = [...new Set(lines.flatMap(({ unless }) => (unless ? [unless.source] : [])))]
  const rows = lines.map(({ status, code, type, message, unless, means, source }) => [
    [
      ...(status ? [`status ${status.join(', ')}`] : []),
      ...(type ? [`type ${sourceOf(type)}`] : []),
      ...(code ? [`code ${sourceOf(code)}`] : []),
      ...(message ? [`text ${sourceOf(message)}`] : []),
    ].join(', ') + (unless ? ` (${open.indexOf(unless.source) + 1})` : ''),
    `\`${means}\``,
    source,
  ])
  return [
    table(['A refusal with', 'Means', 'Source'], rows),
    ...open.map((text, i) => `(${i + 1}) unless its text fits \`${text}\``),
  ].join('\n\n')
}

const diagramOf: typeof stateDiagram = (states) => fenced('mermaid', stateDiagram(states))

const moduleOf = (module: string): string => `src/${module}/README.md`

const sections: { file: string; name: string; text: string }[] = [
  { file: 'docs/configuration.md', name: 'configuration', text: configurationTable() },
  { file: moduleOf('paying-out/payouts'), name: 'payout states', text: diagramOf(payoutStates) },
  { file: moduleOf('collecting/payments'), name: 'payment states', text: diagramOf(paymentStates) },
  {
    file: moduleOf('collecting/payments'),
    name: 'card attempt states',
    text: diagramOf(attemptStates),
  },
  { file: moduleOf('collecting/refunds'), name: 'refund states', text: diagramOf(refundStates) },
  { file: moduleOf('collecting/disputes'), name: 'dispute states', text: diagramOf(disputeStates) },
  { file: moduleOf('collecting/returns'), name: 'return states', text: diagramOf(returnStates) },
  { file: 'docs/selling.md', name: 'invoice states', text: diagramOf(invoiceStates) },
  { file: 'docs/sandbox.md', name: 'magic', text: magicTable() },
  { file: 'docs/sandbox.md', name: 'test cards', text: cardTable() },
  { file: 'docs/sandbox.md', name: 'magic documents', text: documentTable() },
  { file: 'docs/sandbox.md', name: 'magic holders', text: holderTable() },
  {
    file: 'docs/pricing.md',
    name: 'default pricing',
    text: fenced('json', JSON.stringify(defaultPricing, null, 2)),
  },
  { file: 'docs/pricing.md', name: 'prices', text: priceTable() },
  { file: 'docs/keys.md', name: 'operations by scope', text: scopeTable() },
  { file: 'docs/team.md', name: 'roles', text: rolesTable() },
  { file: 'docs/dashboard.md', name: 'actions by role', text: dashboardTable() },
  { file: 'docs/cli.md', name: 'help of integrators', text: helpTexts() },
  { file: 'docs/errors.md', name: 'errors', text: errorTable() },
  { file: 'docs/refusals.md', name: 'certain refusals', text: await certainRefusals() },
]

/** @throws {Error} when the markers are not there exactly once, in order */
function replaceSection(document: string, name: string, text: string): string {
  const [before, middle, ...more] = document.split(`<!-- ${name} -->`)
  const [, after, ...rest] = middle?.split(`<!-- /${name} -->`) ?? []
  if (before === undefined || after === undefined || more.length > 0 || rest.length > 0)
    throw new Error(`needs <!-- ${name} --> and <!-- /${name} --> once each`)
  return `${before}<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->${after}`
}

const check = process.argv.includes('--check')

/** Gives a file its text, or says that it has another. */
function bring(file: string, old: string, text: string): void {
  if (text === old) return
  if (check) {
    console.error(`${file} is not what the code says: run \`node docs/generate.ts\`.`)
    process.exitCode = 1
  } else {
    writeFileSync(new URL(`../${file}`, import.meta.url), text)
    console.log(`${file} is rewritten.`)
  }
}

const operating = new Command('bursar')
addOperatingCommands(operating, {})
const outline = outlineOf(operating)
/** As `bursar` without a command has its commands. */
const program = newProgram()
graft(program, outline)
addIntegratorCommands(program, {}, () => program)

/** @throws {Error} when there is no such command */
function helpOfNamed(names: string): string {
  const find = (of: Command, name: string): Command | undefined =>
    of.commands.find((one) => one.name() === name)
  const [first, ...more] = names.split(' ').filter(Boolean)
  if (first === undefined) return helpOf(program)
  let command = find(operating, first) ?? find(program, first)
  for (const name of more) command = command && find(command, name)
  if (!command) throw new Error(`there is no command${names}`)
  return helpOf(command)
}

/** Where a document shows what `npx bursar … --help` prints. */
const shownHelp = /(\$ npx bursar((?: [a-z-]+)*) --help\n)[\s\S]*?(?=\n```)/g

for (const file of new Set([
  ...globSync('docs/**/*.md', { cwd: root }),
  ...sections.map((section) => section.file),
])) {
  const old = readFileSync(new URL(file, root), 'utf8')
  let text = old
  try {
    for (const section of sections)
      if (section.file === file) text = replaceSection(text, section.name, section.text)
    text = text.replaceAll(shownHelp, (_, asked, names) => asked + helpOfNamed(names))
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error })
  }
  bring(file, old, text)
}

const outlineFile = 'src/app/cli/outline.json'
const outlineText = `${JSON.stringify(outline, null, 2)}\n`
bring(outlineFile, readFileSync(new URL(outlineFile, root), 'utf8'), outlineText)
