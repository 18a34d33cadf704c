/**
 * Runs the receivers of `examples/receivers`, each as its user would, and sends them good and bad
 * deliveries (`receivers/deliveries.ts`). What is fetched is pinned by `receivers/`. One whose
 * tools are missing is skipped; a slow one runs when it is named. Names on the command line choose.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../src/lib/ids.ts'
import { newSecret } from '../src/platform/webhooks/signing.ts'
import { type Delivery, deliveriesFor } from './receivers/deliveries.ts'
import { until } from './support/harness.ts'
import { freePort } from './support/ports.ts'

type Example = {
  name: string
  /** Its directory, below `examples/receivers` and below `receivers` here. */
  from: string
  /** Which SDK it uses, below `sdk`. */
  sdk?: 'typescript' | 'python' | 'php'
  /** What must be there, and the command that fails where it is not. */
  needs: string
  check: string
  /** Fetches what is pinned, and makes it ready. */
  fetch?: string
  start: string
  /** What does the work, where the receiver does not itself. */
  work?: string
  /** Runs only when it is named. */
  slow?: true
}

const npm = {
  sdk: 'typescript',
  needs: 'npm',
  check: 'npm --version',
  fetch:
    'npm ci --ignore-scripts && mkdir -p node_modules/@bursar/sdk && tar -xzf "$SDK" --strip-components=1 -C node_modules/@bursar/sdk',
} as const
const python = {
  sdk: 'python',
  needs: 'Python 3.10 or newer with venv',
  check: 'python3 -c "import sys, venv, ensurepip; assert sys.version_info >= (3, 10)"',
  fetch:
    'python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -r requirements.txt httpx && .venv/bin/pip install -q --no-deps "$SDK"',
} as const
/** Components of Laravel that Debian has as packages, each with its own name. */
const illuminate = ['Bus', 'Container', 'Database', 'Events', 'Http', 'Queue', 'Routing', 'Support']

const examples: Example[] = [
  { name: 'Express', from: 'express', ...npm, start: 'npm start' },
  { name: 'Fastify', from: 'fastify', ...npm, start: 'npm start' },
  {
    name: 'Next.js',
    from: 'nextjs',
    ...npm,
    slow: true,
    // Not `npm ci`: that wants its compiler for every system, and a registry may not have them all.
    fetch: `${npm.fetch.replace('npm ci', 'npm install')} && NEXT_TELEMETRY_DISABLED=1 npm run build`,
    start: 'npm start -- --port "$PORT"',
  },
  {
    name: 'FastAPI',
    from: 'fastapi',
    ...python,
    start: '.venv/bin/uvicorn main:app --no-access-log --port "$PORT"',
  },
  {
    name: 'Django',
    from: 'django',
    ...python,
    fetch: `${python.fetch} && .venv/bin/python manage.py makemigrations --check && .venv/bin/python manage.py migrate -v 0`,
    start: '.venv/bin/python manage.py runserver --noreload "$PORT"',
    work: '.venv/bin/python manage.py handle_bursar_events',
  },
  {
    name: 'Laravel',
    from: 'laravel',
    sdk: 'php',
    needs: 'PHP with SQLite and Debian’s php-illuminate-* packages',
    check: `php -r 'exit(extension_loaded("pdo_sqlite") ? 0 : 1);'${illuminate.map((part) => ` && test -f /usr/share/php/Illuminate/${part}/autoload.php`).join('')}`,
    start: 'php -d display_errors=0 -d log_errors=1 -S "127.0.0.1:$PORT" index.php',
    work: 'php work.php',
  },
  {
    name: 'Go',
    from: 'go',
    needs: 'Go 1.22 or newer',
    check: 'go version | grep -E "go1\\.(2[2-9]|[3-9][0-9])"',
    fetch: 'go vet ./... && go build -o receiver .',
    start: './receiver',
  },
]

const deadline = performance.now() + Number(process.env.RECEIVERS_MINUTES ?? 30) * 60_000
const root = join(import.meta.dirname, '..')
const workshop = mkdtempSync(join(tmpdir(), 'bursar-receivers-'))
const ended: Record<'passed' | 'failed' | 'skipped', string[]> = {
  passed: [],
  failed: [],
  skipped: [],
}
const asked = process.argv.slice(2).map((name) => name.toLowerCase())
/** The packed file of the TypeScript SDK, made once. */
let packed: Promise<string> | undefined

for (const example of examples) {
  const named = [example.name, example.from].some((name) => asked.includes(name.toLowerCase()))
  if (asked.length > 0 && !named) continue
  const began = performance.now()
  const { as, why } =
    example.slow && !named
      ? {
          as: 'skipped' as const,
          why: `: it is slow, and runs by \`npm run test:receivers -- ${example.from}\``,
        }
      : await attempt(example).catch((error) => ({
          as: 'failed' as const,
          why: `: ${error.message}`,
        }))
  ended[as].push(example.name)
  console.log(`${as} ${example.name} (${Math.round((performance.now() - began) / 1000)} s)${why}`)
}
rmSync(workshop, { recursive: true, force: true })
console.log(
  `${ended.passed.length} passed, ${ended.failed.length} failed, ${ended.skipped.length} skipped`,
)
process.exit(ended.failed.length > 0 ? 1 : 0)

async function attempt(example: Example): Promise<{ as: keyof typeof ended; why: string }> {
  const cwd = join(workshop, example.from)
  const secret = newSecret()
  const port = await freePort()
  for (const from of ['examples/receivers', 'test/receivers'])
    if (existsSync(join(root, from, example.from)))
      cpSync(join(root, from, example.from), cwd, { recursive: true })
  const env = {
    BURSAR_WEBHOOK_SECRET: secret,
    PORT: String(port),
    INBOX: join(cwd, 'inbox'),
    SDK: '',
    ROOT: root,
  }
  const check = await run(example.check, cwd, env)
  if (check.code !== 0) return { as: 'skipped', why: `: it needs ${example.needs}` }
  if (example.sdk && !existsSync(join(root, 'sdk', example.sdk, 'src')))
    return { as: 'skipped', why: `: it needs sdk/${example.sdk}` }
  env.SDK = await sdkFor(example, cwd)
  if (example.fetch) {
    const { code, output } = await run(example.fetch, cwd, env)
    if (code !== 0) return { as: 'failed', why: `: ${example.fetch}\n${output}` }
  }
  const deliveries = deliveriesFor(
    { businessId: newId(new Date()), livemode: false, now: new Date() },
    secret,
    newSecret(),
  )
  const differences: string[] = []
  let said = ''
  let logged = ''
  // The second time it has what the first has kept: what was acted on is not again.
  for (const round of [1, 2]) {
    const program = start(example.start, cwd, env)
    program.stdout?.on('data', (chunk) => (said += chunk))
    program.stderr?.on('data', (chunk) => (logged += chunk))
    try {
      await listening(program, port, () => logged)
      for (const delivery of round === 1 ? deliveries : deliveries.slice(0, 2))
        differences.push(...(await differencesOf(delivery, port)))
      if (example.work) {
        const { code, output } = await run(example.work, cwd, env)
        if (code !== 0) differences.push(`${example.work}\n${output}`)
        said += output
      }
      const expected = deliveries.flatMap(({ says }) => says ?? [])
      const acted = (): string[] => said.split('\n').filter((line) => line.startsWith('payment.'))
      await until(async () => acted().length >= expected.length, 10_000).catch(() => {})
      // What would be done a second time is done in less than this.
      await sleep(200)
      if (acted().sort().join('\n') !== expected.sort().join('\n'))
        differences.push(`start ${round}: it acted on\n${acted().join('\n') || 'nothing'}`)
    } finally {
      await end(program)
    }
  }
  if (differences.length === 0) return { as: 'passed', why: `: ${deliveries.length} deliveries` }
  return { as: 'failed', why: `\n${differences.join('\n')}\n${logged.slice(-5_000)}` }
}

/**
 * Takes the SDK out of what is fetched from a registry, and packs it where it is used packed.
 * @returns where it is
 */
async function sdkFor({ sdk }: Example, cwd: string): Promise<string> {
  if (sdk === 'typescript') {
    const manifest = join(cwd, 'package.json')
    const { dependencies, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
    const { '@bursar/sdk': _, ...others } = dependencies
    writeFileSync(manifest, JSON.stringify({ ...rest, dependencies: others }))
    packed ??= pack()
    return packed
  }
  if (sdk === 'python') {
    const requirements = join(cwd, 'requirements.txt')
    writeFileSync(requirements, readFileSync(requirements, 'utf8').replace(/^bursar==.*\n/m, ''))
  }
  return sdk ? join(root, 'sdk', sdk) : ''
}

async function pack(): Promise<string> {
  const to = mkdtempSync(join(workshop, 'sdk-'))
  const { code, output } = await run(
    `npm pack --silent --pack-destination '${to}'`,
    join(root, 'sdk/typescript'),
    {},
  )
  const [file] = readdirSync(to)
  if (code !== 0 || !file) throw new Error(`the SDK is not packed: ${output}`)
  return join(to, file)
}

/** Sends a delivery, and says how the answer differs from the right one. */
async function differencesOf(
  { name, headers, body, taken, times = 1 }: Delivery,
  port: number,
): Promise<string[]> {
  const url = `http://127.0.0.1:${port}/webhooks/bursar`
  const answers = await Promise.all(
    Array.from({ length: times }, () =>
      fetch(url, { method: 'POST', headers, body }).then(({ status }) => status),
    ),
  )
  const right = (status: number): boolean =>
    taken ? status >= 200 && status < 300 : status === 401
  return answers.filter((status) => !right(status)).map((status) => `${name}: ${status}`)
}

/** Runs a line of shell to its end. It, and what it started, is ended at its time limit. */
function run(
  line: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = start(line, cwd, env)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += chunk))
    const left = Math.max(1_000, deadline - performance.now())
    const timer = setTimeout(() => {
      output += `\nit was ended after ${Math.round(left / 1_000)} s`
      process.kill(-(child.pid as number), 'SIGKILL')
    }, left)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, output })
    })
  })
}

/** Waits until a program takes connections. */
async function listening(program: ChildProcess, port: number, logged: () => string): Promise<void> {
  while (performance.now() < deadline) {
    if (program.exitCode !== null) throw new Error(`it ended before it listened\n${logged()}`)
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null)
    if (answer) return
    await sleep(100)
  }
  throw new Error(`it does not listen\n${logged()}`)
}

function start(line: string, cwd: string, env: Record<string, string>): ChildProcess {
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  return spawn('sh', ['-c', line], {
    cwd,
    // A runner that is told to be silent would silence what it starts.
    env: { ...process.env, npm_config_loglevel: 'warn', PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return
  const ended = new Promise((resolve) => program.once('close', resolve))
  process.kill(-(program.pid as number), 'SIGKILL')
  await ended
}
