import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'

/** Which layers each layer may import. A domain is every folder that is not named here. */
const layers: Record<string, string[]> = {
  lib: ['lib'],
  db: ['db', 'lib'],
  rails: ['rails', 'db', 'lib'],
  context: ['db', 'rails', 'lib'],
  ledger: ['ledger', 'context', 'db', 'lib'],
  jobs: ['jobs', 'context', 'db', 'lib'],
  events: ['events', 'jobs', 'context', 'db', 'lib'],
  domain: ['ledger', 'events', 'jobs', 'rails', 'context', 'db', 'lib'],
  http: ['http', 'context', 'lib', 'db', 'businesses'],
  cli: ['main', 'businesses', 'mail', 'context', 'db', 'lib'],
}

/** Packages that one layer alone may know. */
const owners: Record<string, string> = {
  pg: 'db',
  fastify: 'http',
  '@fastify/rate-limit': 'http',
  '@fastify/swagger': 'http',
  '@fastify/swagger-ui': 'http',
  ajv: 'http',
  commander: 'cli',
  pino: 'main',
  pdfkit: 'invoices',
  nodemailer: 'mail',
}

/** Only `db` (migrations) and `jobs` speak to the job queue. */
const queueUsers = ['db', 'jobs']

type Import = { file: string; from: string; to: string; target: string }

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const roomOf = (file: string): string => {
  const parts = file.split('/')
  return parts.length === 2 ? (parts[1] as string).replace('.ts', '') : (parts[1] as string)
}
const imports: Import[] = sources.flatMap((file) =>
  [
    ...readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gms,
    ),
  ].map((match) => {
    const target = match[1] ?? match[2] ?? (match[3] as string)
    const local = target.startsWith('.')
    const path = local ? normalize(join(dirname(file), target)) : target
    return { file, from: roomOf(file), to: local ? roomOf(path) : `npm:${target}`, target: path }
  }),
)
const isDomain = (room: string): boolean => !(room in layers) && room !== 'main'

describe('the dependency rule', () => {
  it('sees the imports', () => assert.ok(imports.length > 200, `${imports.length} imports`))

  it('lets imports point down only', () => {
    for (const { file, from, to, target } of imports) {
      if (to.startsWith('npm:') || from === 'main' || from === to) continue
      const allowed = layers[isDomain(from) ? 'domain' : from] as string[]
      if (isDomain(from) && isDomain(to)) {
        const face = new RegExp(`^src/${to}/(${to}|tokens)\\.ts$`)
        assert.match(target, face, `${file} imports ${target}: another room is entered by its face only`)
      } else assert.ok(allowed.includes(to), `${file} (${from}) imports ${target} (${to})`)
    }
  })

  it('has no circles between rooms', () => {
    const edges = new Map<string, Set<string>>()
    for (const { from, to } of imports)
      if (isDomain(from) && isDomain(to) && from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to))
    const visit = (room: string, path: string[]): void => {
      assert.ok(!path.includes(room), `a circle: ${[...path, room].join(' → ')}`)
      for (const next of edges.get(room) ?? []) visit(next, [...path, room])
    }
    for (const room of edges.keys()) visit(room, [])
  })

  it('keeps each library behind its door', () => {
    for (const { file, from, to } of imports) {
      const name = to.startsWith('npm:') ? to.slice(4) : ''
      if (name in owners) assert.equal(from, owners[name], `${file} imports ${name}`)
      if (name === 'graphile-worker') assert.ok(queueUsers.includes(from), `${file} imports ${name}`)
    }
  })

  it('reads the environment and the time in one place', () => {
    for (const file of sources) {
      const text = readFileSync(file, 'utf8')
      if (file !== 'src/cli/cli.ts') assert.ok(!/process\.env/.test(text), `${file} reads process.env`)
      // The checkout's script runs in the payer's browser.
      if (file !== 'src/lib/clock.ts' && file !== 'src/checkout/view/script.ts')
        assert.ok(!/Date\.now\(\)|new Date\(\)/.test(text), `${file} reads the machine's clock`)
    }
  })

  it('lets SQL take its time from parameters', () => {
    // The job queue's own locks and the record of migrations are the machine's affair, not the product's.
    const exempt = ['src/jobs/jobs.ts', 'src/db/migrate.ts']
    for (const file of [...sources, ...globSync('src/**/*.sql')])
      if (!exempt.includes(file))
        assert.ok(
          !/\b(now|clock_timestamp|statement_timestamp)\(\)(?!:)|current_timestamp/i.test(
            readFileSync(file, 'utf8').replaceAll(/clock\.now\(\)|\.now\(\)|now\(\): Date/g, ''),
          ),
          `${file} uses SQL's own time`,
        )
  })

  it('names the business in every statement on its data', () => {
    const owned =
      /\b(?:from|into|update|join)\s+(ledger_\w+|wallets|transactions|payouts|payout_quotes|events|event_resends|webhooks|webhook_\w+|timers|idempotency_keys|customers|customer_\w+|virtual_accounts|deposit_notices|payments|payment_\w+|collections|refunds|pay_links|products|distributions|distribution_\w+|invoices|invoice_\w+|mails)\b/
    const exempt = ['timers.fire_due', 'idempotency.delete_old', 'webhooks.select_claimants']
    for (const file of sources) {
      if (file.endsWith('verify.ts') || file.startsWith('src/db/')) continue
      for (const [, name, text] of readFileSync(file, 'utf8').matchAll(
        /sql(?:<[^(]*>)?\(\s*'([^']+)',\s*[`']([^`]*?)[`'],?\s*\)/g,
      ))
        if (owned.test(text as string) && !exempt.includes(name as string)) {
          assert.match(text as string, /business_id/, `${file}: ${name}`)
        }
    }
  })

  it('keeps files short', () => {
    for (const file of sources) {
      const lines = readFileSync(file, 'utf8').split('\n').length
      assert.ok(lines <= 400, `${file} has ${lines} lines: it is doing two things`)
    }
  })
})
