/**
 * Makes a client of the document in each language, compiles it and lets a small program speak with
 * a server; and lints the document. What is run stands in docs/clients.md. A language whose tools
 * are missing is skipped. Names on the command line choose among them.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { must, startServer } from './support/harness.ts'

type Client = {
  name: string
  /** Its directory here. */
  from: string
  /** What must be there, and the command that fails where it is not. */
  needs: string
  check: string
  /** Fetches what is pinned. */
  fetch?: string
  /** What the page tells a user to run; each must end well and warn of nothing. */
  steps: string[]
  /** How lines begin that warn of nothing in our document, each with its reason. */
  known?: string[]
}

const generator = [
  // Maven says of each line how grave it is; the JVM warns of what Maven does.
  '[INFO] ',
  'WARNING: ',
  // Said of every document of OpenAPI 3.1.
  '[WARNING] OpenAPI 3.1 support is still in beta.',
  // Statements come as CSV and PDF too, and it makes examples of JSON only.
  '[WARNING] No application/json content media type found in response.',
  // Said once of every document that extends a schema by `allOf` with more fields: those have no
  // name, and it asks for one.
  '[WARNING] Failed to get the schema name: null',
]

const clients: Client[] = [
  {
    name: 'linters',
    from: 'linters',
    needs: 'npm',
    check: 'npm --version',
    fetch: 'npm ci',
    steps: [
      'npx redocly lint ../openapi.json',
      'npx spectral lint ../openapi.json --fail-severity hint',
    ],
  },
  {
    name: 'TypeScript',
    from: 'typescript',
    needs: 'npm',
    check: 'npm --version',
    fetch: 'npm ci',
    steps: [
      'npx openapi-typescript ../openapi.json --default-non-nullable=false -o schema.ts',
      'npx tsc -p .',
      'node client.ts',
    ],
  },
  {
    name: 'Python',
    from: 'python',
    needs: 'Python 3.10 or newer with venv',
    check: 'python3 -c "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)"',
    fetch: 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt',
    steps: [
      '. .venv/bin/activate && openapi-python-client generate --path ../openapi.json --config config.yaml --meta none --output-path bursar_client',
      '. .venv/bin/activate && python client.py',
    ],
  },
  {
    name: 'Go',
    from: 'go',
    needs: 'Go 1.24 or newer',
    check: 'go version | grep -E "go1\\.(2[4-9]|[3-9][0-9])"',
    steps: [
      'mkdir -p bursar && go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config config.yaml ../openapi.json',
      'go vet ./...',
      'go run .',
    ],
    // What it fetches is said on the same stream, by names of packages that may have such words.
    known: ['go: downloading '],
  },
  {
    name: 'hey-api',
    from: 'hey-api',
    needs: 'npm',
    check: 'npm --version',
    fetch: 'npm ci',
    steps: ['npx openapi-ts', 'npx tsc -p . && node client.ts'],
  },
  {
    name: 'orval',
    from: 'orval',
    needs: 'npm',
    check: 'npm --version',
    fetch: 'npm ci',
    steps: ['npx orval --config orval.config.mjs', 'npx tsc -p . && node client.ts'],
  },
  {
    name: 'datamodel-code-generator',
    from: 'datamodel',
    needs: 'Python 3.10 or newer with venv',
    check: 'python3 -c "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)"',
    fetch: 'python3 -m venv .venv && .venv/bin/pip install --quiet -r requirements.txt',
    steps: [
      '. .venv/bin/activate && datamodel-codegen --input ../openapi.json --input-file-type openapi --openapi-scopes schemas paths webhooks --output-model-type pydantic_v2.BaseModel --formatters builtin --output bursar_models.py',
      '. .venv/bin/activate && python client.py',
    ],
  },
  {
    name: 'ogen',
    from: 'ogen',
    needs: 'Go 1.26 or newer',
    check: 'go version | grep -E "go1\\.(2[6-9]|[3-9][0-9])"',
    steps: [
      'go run github.com/ogen-go/ogen/cmd/ogen@v1.25.0 --config ogen.yml --package bursar --target bursar --clean ../openapi.json',
      'go run .',
    ],
    known: [
      'go: downloading ',
      // Go's own form of a header, which HTTP does not tell apart.
      'WARN\tHeader name is not canonical',
      // The longest that a URL may be is not checked.
      'WARN\tschemagen\tString validator cannot be applied',
      // The stream of events, as its settings say.
      'INFO\tSkipping operation',
    ],
  },
  {
    name: 'Java',
    from: 'java',
    needs: 'Maven and a JDK 17 or newer',
    check: 'mvn --version && javac --version',
    steps: ['mvn -B -ntp compile exec:java'],
    known: generator,
  },
  {
    name: 'Kotlin',
    from: 'kotlin',
    needs: 'Maven and a JDK 17 or newer',
    check: 'mvn --version && javac --version',
    steps: ['mvn -B -ntp compile exec:java'],
    known: generator,
  },
  {
    name: 'Rust',
    from: 'rust',
    needs: 'Maven, a JDK 17 or newer, and Cargo',
    check: 'mvn --version && javac --version && cargo --version',
    steps: ['mvn -B -ntp generate-resources', 'cargo run --quiet'],
    // It names each name that Rust has taken, and which it changes.
    known: [...generator, '[WARNING] '],
  },
]

// Whatever hangs, a registry or a compiler: all together end in time. A machine that has other
// things to do may need longer.
const deadline = performance.now() + Number(process.env.CLIENTS_MINUTES ?? 30) * 60_000
const here = join(import.meta.dirname, 'clients')
const page = readFileSync(join(import.meta.dirname, '../docs/clients.md'), 'utf8')
const root = mkdtempSync(join(tmpdir(), 'bursar-clients-'))
const ended: Record<'passed' | 'failed' | 'skipped', string[]> = {
  passed: [],
  failed: [],
  skipped: [],
}

const server = await startServer()
// As an operator's server has it: linters take a loopback address for a slip. The programs are told
// where the server is.
const text = await (await fetch(`${server.url}/openapi.json`)).text()
writeFileSync(
  join(root, 'openapi.json'),
  text.replaceAll(server.url, 'https://payments.bursar.test'),
)
const asked = process.argv.slice(2).map((name) => name.toLowerCase())
const chosen = clients.filter(
  ({ name }) => asked.length === 0 || asked.includes(name.toLowerCase()),
)
// They wait for downloads more than they work; but one of Maven's at a time, which share a
// directory that they fill.
const ofMaven = ({ check }: Client): boolean => check.startsWith('mvn')
const others = chosen.filter((client) => !ofMaven(client))
await Promise.all([runAll(chosen.filter(ofMaven)), runAll(others), runAll(others)])
await server.stop()
rmSync(root, { recursive: true, force: true })
const list = (names: string[]): string => names.join(', ') || 'none'
const ran = chosen.filter(({ name }) => name !== 'linters' && !ended.skipped.includes(name)).length
console.log(
  `${ran} of ${clients.length - 1} clients ran. Passed: ${list(ended.passed)}. Skipped: ${list(ended.skipped)}. Failed: ${list(ended.failed)}.`,
)
console.log(
  `${ended.passed.length} passed, ${ended.failed.length} failed, ${ended.skipped.length} skipped`,
)
process.exit(ended.failed.length > 0 ? 1 : 0)

/** Runs clients one after the other, until none is left. */
async function runAll(waiting: Client[]): Promise<void> {
  for (let client = waiting.shift(); client; client = waiting.shift()) {
    const began = performance.now()
    const { as, why } = await attempt(client)
    ended[as].push(client.name)
    console.log(`${as} ${client.name} (${Math.round((performance.now() - began) / 1000)} s)${why}`)
  }
}

async function attempt(client: Client): Promise<{ as: keyof typeof ended; why: string }> {
  const cwd = join(root, client.from)
  cpSync(join(here, client.from), cwd, { recursive: true })
  const business = await createBusiness(server.app, client.name)
  await must(
    server.callAs(business.test_key)('POST', '/wallets/simulate-fund', {
      currency: 'ngn',
      amount: 6_000_000_000,
    }),
  )
  const env = { BURSAR_URL: server.url, BURSAR_KEY: business.test_key }

  if ((await run(client.check, cwd, env)).code !== 0)
    return { as: 'skipped', why: `: it needs ${client.needs}` }
  if (client.fetch) {
    const { code, output } = await run(client.fetch, cwd, env)
    if (code !== 0) return { as: 'failed', why: `: ${client.fetch}\n${output}` }
  }
  for (const step of client.steps) {
    if (!page.includes(step))
      return { as: 'failed', why: `: docs/clients.md does not say \`${step}\`` }
    const { code, output } = await run(step, cwd, env)
    if (code !== 0) return { as: 'failed', why: `: ${step}\n${output}` }
    const warnings = output
      .split('\n')
      .filter(
        (line) =>
          /\bwarn|deprecat|skipping|unsupported|\berror\b/i.test(line) && !/^npm warn /.test(line),
      )
      .filter((line) => !client.known?.some((text) => line.startsWith(text)))
    if (warnings.length > 0)
      return {
        as: 'failed',
        why: `: ${step} warns\n${warnings.join('\n')}\n\n${output.slice(-20_000)}`,
      }
  }
  return { as: 'passed', why: '' }
}

/** Runs a line of shell. It, and what it started, is ended at its time limit. */
function run(
  line: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
    const child = spawn('sh', ['-c', line], {
      cwd,
      env: { ...process.env, PATH: path, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk))
    const left = Math.max(1000, deadline - performance.now())
    const timer = setTimeout(() => {
      output += `\nit was ended after ${Math.round(left / 1000)} s`
      process.kill(-(child.pid as number), 'SIGKILL')
    }, left)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, output })
    })
  })
}
