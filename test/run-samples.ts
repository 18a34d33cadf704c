/**
 * Runs the samples of the guides in TypeScript, Python and PHP, each by the SDK in `sdk/`, against
 * a server: each guide is one program, for a business of its own. `test/system` runs the commands
 * of the same guides. A language that is missing is skipped; names on the command line choose among
 * them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { startCluster } from './support/cluster.ts'
import { startServer, type TestServer, until } from './support/harness.ts'
import { freePort } from './support/ports.ts'
import { type Run, run } from './support/python.ts'
import { type Guide, readGuides } from './support/samples.ts'

type Runner = {
  name: 'typescript' | 'python' | 'php'
  sdk: string
  /** Puts the SDK in place. @returns what is missing, or null */
  prepare(dir: string): Promise<string | null>
  /** Holds all programs against the types of the SDK. @returns what is wrong, or null */
  check?(dir: string, programs: Record<string, string>): Promise<string | null>
  file: string
  command(
    dir: string,
    file: string,
    port?: number,
  ): { program: string; args: string[]; env?: Record<string, string> }
}

const failed = ({ code, err }: Run): string | null =>
  code === 0 ? null : err.trim().split('\n').at(-1) || 'it failed'

const runners: Runner[] = [
  {
    name: 'typescript',
    sdk: 'sdk/typescript',
    file: 'guide.mts',
    async prepare(dir) {
      const home = join(dir, 'node_modules/@bursar/sdk')
      mkdirSync(home, { recursive: true })
      const packed = await run('npm', [
        'pack',
        '--silent',
        '--pack-destination',
        dir,
        resolve('sdk/typescript'),
      ])
      const file = packed.out.trim().split('\n').at(-1) ?? ''
      return (
        failed(packed) ??
        failed(await run('tar', ['-xzf', join(dir, file), '-C', home, '--strip-components=1']))
      )
    },
    async check(dir, programs) {
      for (const [name, text] of Object.entries(programs))
        writeFileSync(join(dir, `${name}.mts`), text)
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--target',
        'es2024',
        '--module',
        'nodenext',
        '--skipLibCheck',
      ]
      const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node']
      const files = Object.keys(programs).map((name) => join(dir, `${name}.mts`))
      const { code, out, err } = await run(resolve('node_modules/.bin/tsc'), [
        ...options,
        ...types,
        ...files,
      ])
      return code === 0 ? null : out + err
    },
    command: (_dir, file) => ({ program: process.execPath, args: [file] }),
  },
  {
    name: 'python',
    sdk: 'sdk/python',
    file: 'guide.py',
    async prepare(dir) {
      const made = await run('python3', ['-m', 'venv', join(dir, '.venv')])
      if (made.code !== 0) return failed(made)
      return failed(
        await run(join(dir, '.venv/bin/pip'), [
          'install',
          '--quiet',
          '--disable-pip-version-check',
          resolve('sdk/python'),
        ]),
      )
    },
    command: (dir, file) => ({ program: join(dir, '.venv/bin/python'), args: [file] }),
  },
  {
    name: 'php',
    sdk: 'sdk/php',
    file: 'guide.php',
    async prepare(dir) {
      const php = await run('php', [
        '-r',
        "exit(version_compare(PHP_VERSION, '8.1') >= 0 && extension_loaded('curl') ? 0 : 1);",
      ])
      if (php.code !== 0) return 'PHP 8.1 or newer with curl'
      mkdirSync(join(dir, 'vendor'))
      const { autoload } = JSON.parse(readFileSync('sdk/php/composer.json', 'utf8'))
      const places = Object.entries(autoload['psr-4'] as Record<string, string>).sort(
        ([a], [b]) => b.length - a.length,
      )
      // As Composer's, which need not be there: the longest prefix of a class says where its file
      // is.
      const found = places.map(
        ([prefix, path]) => `${JSON.stringify(prefix)} => '${resolve('sdk/php', path)}/'`,
      )
      writeFileSync(
        join(dir, 'vendor/autoload.php'),
        `<?php
spl_autoload_register(function ($class) {
  foreach ([${found.join(', ')}] as $prefix => $path) {
    $file = $path . strtr(substr($class, strlen($prefix)), '\\\\', '/') . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
      require $file;
      return;
    }
  }
});
`,
      )
      return null
    },
    command: (_dir, file, port) => ({
      program: 'php',
      args: [...(port === undefined ? [] : ['-S', `127.0.0.1:${port}`]), file],
    }),
  },
]

/** The program of a guide, or its receiver. */
const programOf = ({ steps }: Guide, { name }: Runner, receiver = false): string =>
  steps
    .filter(({ isReceiver }) => isReceiver === receiver)
    .map(({ text }) => text[name])
    .join('\n')

const children = new Set<ChildProcess>()

/** Runs a receiver of the guide, and posts to it what it must take and what it must refuse. */
async function receives(runner: Runner, dir: string, program: string): Promise<string | null> {
  const file = join(dir, runner.file)
  writeFileSync(file, program)
  const port = await freePort()
  const secret = 'weh_0123456789abcdef0123456789abcdef'
  const { program: command, args, env } = runner.command(dir, file, port)
  const child = spawn(command, args, {
    cwd: dir,
    env: { ...process.env, ...env, PORT: String(port), WEBHOOK_SECRET: secret },
  })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const body = JSON.stringify({
    id: 'e1',
    type: 'payment.completed',
    timestamp: '2026-11-23T00:00:00Z',
    payload: { id: 'p' },
  })
  const post = async (
    sent: string,
    by: string,
    seconds = Math.floor(Date.now() / 1_000),
  ): Promise<number> => {
    const signature = createHmac('sha256', by).update(`e1.${seconds}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'e1',
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    }
    const asked = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: sent, headers })
    return (await asked).status
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(said)
      return await post(body, secret).catch(() => null)
    }, 30_000)
    const old = Math.floor(Date.now() / 1_000) - 400
    const answers = [
      await post(body, secret),
      await post(body.replace('"p"', '"q"'), secret),
      await post(body, 'weh_another'),
      await post(body, secret, old),
    ]
    return answers.join() === '204,400,400,400'
      ? null
      : `its receiver answered ${answers.join(', ')}\n${said}`
  } catch (error) {
    return (error as Error).message
  } finally {
    child.kill()
    children.delete(child)
  }
}

async function follow(
  runner: Runner,
  server: TestServer,
  guides: Guide[],
): Promise<string[] | null> {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-samples-'))
  const wrong: string[] = []
  try {
    const missing = await runner.prepare(dir)
    if (missing !== null) {
      console.log(`skipped ${runner.name}: needs ${missing}`)
      return null
    }
    const programs = guides.flatMap((guide) => [
      [guide.name, programOf(guide, runner)],
      [`${guide.name}-receiver`, programOf(guide, runner, true)],
    ])
    const mistyped = await runner.check?.(
      dir,
      Object.fromEntries(programs.filter(([, text]) => text !== '')),
    )
    if (mistyped) wrong.push(`${runner.name}, types:\n${mistyped}`)
    for (const guide of guides) {
      const { test_key, live_key } = await createBusiness(
        server.app,
        `${guide.name} ${runner.name}`,
      )
      const file = join(dir, runner.file)
      writeFileSync(file, programOf(guide, runner))
      const { program, args, env } = runner.command(dir, file)
      const keys = {
        BURSAR_URL: server.url,
        BURSAR_KEY: guide.name === 'go-live' ? live_key : test_key,
      }
      const ended = await run('sh', ['-c', 'cd "$0" && exec "$@"', dir, program, ...args], '', {
        ...env,
        ...keys,
      })
      const receiver = programOf(guide, runner, true)
      const refused = receiver === '' ? null : await receives(runner, dir, receiver)
      const problem = ended.code === 0 ? refused : `${ended.out}${ended.err}`
      console.log(`${problem === null ? 'passed' : 'FAILED'}  ${runner.name}  ${guide.name}`)
      if (problem !== null) wrong.push(`${runner.name}, ${guide.name}:\n${problem}`)
    }
    return wrong
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const named = process.argv.slice(2)
const chosen = runners.filter(({ name }) => named.length === 0 || named.includes(name))
const there = chosen.filter(({ sdk, name }) => {
  if (existsSync(sdk)) return true
  console.log(`skipped ${name}: needs ${sdk}`)
  return false
})
const dir = mkdtempSync(join(tmpdir(), 'bursar-samples-'))
const cluster = await startCluster(dir)
Object.assign(process.env, cluster.env)
const server = await startServer()
const guides = readGuides()
const wrong: string[] = []
let ran = 0
try {
  // The languages at once: a program waits for the server, and the server for programs.
  await Promise.all(
    there.map(async (runner) => {
      const problems = await follow(runner, server, guides)
      if (problems === null) return
      ran++
      wrong.push(...problems)
    }),
  )
} finally {
  for (const child of children) child.kill()
  await server.stop()
  await cluster.stop()
  rmSync(dir, { recursive: true, force: true })
}
for (const problem of wrong) console.error(`\n${problem}`)
console.log(
  `${ran * guides.length - wrong.length} passed, ${wrong.length} failed, ${chosen.length - ran} skipped`,
)
process.exit(wrong.length > 0 ? 1 : 0)
