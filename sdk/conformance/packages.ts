/**
 * The ways in which a TypeScript or JavaScript project takes the SDK: `import` and `require`, by
 * the compiler's module settings, by Node.js, by bundlers and by Jest.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from './driver.ts'

/**
 * Makes a client, and checks a webhook, which must fail by an error of the same class as the one
 * imported.
 */
const use = `const bursar = new Bursar({ apiKey: 'sk_test_x', baseUrl: 'https://pay.example' })
webhooks.verify('{}', {}, 'weh_x').then(
  () => process.exit(1),
  (error) => process.stdout.write(error instanceof BursarError && typeof bursar.payments.create === 'function' ? 'works' : String(error)),
)
`
const names = '{ Bursar, BursarError, webhooks }'
const imports = `import ${names} from '@bursar/sdk'\n${use}`
const requires = `const ${names} = require('@bursar/sdk')\n${use}`

/**
 * TypeScript for each module setting; that it knows types is seen by the line that must not
 * compile.
 */
const typed = `import { Bursar, type Payment } from '@bursar/sdk'
export async function pay(): Promise<string> {
  const bursar = new Bursar({ apiKey: 'sk_test_x', baseUrl: 'https://pay.example' })
  const payment: Payment = await bursar.payments.create({ amount: 1, currency: 'ngn' })
  // @ts-expect-error: it is no field of a payment
  payment.colour
  return payment.checkout_url
}
`
const settings: [module: string, resolution: string, type: 'commonjs' | 'module'][] = [
  ['commonjs', 'node10', 'commonjs'],
  ['node16', 'node16', 'commonjs'],
  ['node16', 'node16', 'module'],
  ['nodenext', 'nodenext', 'commonjs'],
  ['nodenext', 'nodenext', 'module'],
  ['esnext', 'bundler', 'module'],
]

function project(
  dir: string,
  name: string,
  manifest: object,
  files: Record<string, string>,
): string {
  const path = join(dir, name)
  mkdirSync(path)
  for (const [file, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files }))
    writeFileSync(join(path, file), text)
  return path
}

/**
 * @param dir a folder in which the package is installed
 * @param compiler the oldest compiler that is promised
 * @param nodes by their names
 * @returns what was tried
 */
export async function checkModules(
  dir: string,
  compiler: string,
  nodes: Record<string, string>,
): Promise<string> {
  for (const [module, moduleResolution, type] of settings) {
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
    }
    const config = JSON.stringify({ compilerOptions, files: ['use.ts'] })
    const cwd = project(
      dir,
      `${module}-${moduleResolution}-${type}`,
      { type },
      { 'use.ts': typed, 'tsconfig.json': config },
    )
    await runToEnd(process.execPath, [compiler, '-p', '.'], cwd)
  }
  const cwd = project(dir, 'modules', {}, { 'use.mjs': imports, 'use.cjs': requires })
  for (const [name, node] of Object.entries(nodes))
    for (const file of ['use.mjs', 'use.cjs']) {
      const said = await runToEnd(node, [file], cwd)
      if (said !== 'works') throw new Error(`${name} ${file}: ${said}`)
    }
  return `TypeScript: it compiles by tsc 5.9 in ${settings.length} module settings, and is imported and required by ${Object.keys(nodes).join(' and ')}`
}

const tools = {
  esbuild: '0.28.2',
  jest: '30.5.2',
  rollup: '4.68.8',
  '@rollup/plugin-node-resolve': '16.0.3',
  webpack: '5.113.0',
  'webpack-cli': '7.3.1',
}

/**
 * Installs bundlers and Jest beside the package, and uses it by each, from a module and from a
 * script.
 * @param dir an empty folder
 * @param tarball the package
 * @returns what was tried
 */
export async function checkBundlers(dir: string, tarball: string): Promise<string> {
  const test = (head: string): string =>
    `${head}\ntest('a client', async () => {\n  await expect(webhooks.verify('{}', {}, 'weh_x')).rejects.toBeInstanceOf(BursarError)\n})\n`
  const cwd = project(
    dir,
    'bundled',
    { private: true, devDependencies: tools },
    {
      'use.mjs': imports,
      'use.cjs': requires,
      'use.test.js': test(`const { BursarError, webhooks } = require('@bursar/sdk')`),
      'rollup.config.mjs': `import resolve from '@rollup/plugin-node-resolve'\nexport default { input: 'use.mjs', output: { file: 'out/rollup.mjs' }, plugins: [resolve()] }\n`,
    },
  )
  await runToEnd('npm', ['install', '--no-audit', '--no-fund', tarball], cwd)
  const bin = (name: string): string => join(cwd, 'node_modules/.bin', name)
  for (const from of ['mjs', 'cjs']) {
    const out = `--outfile=out/esbuild-${from}.cjs`
    await runToEnd(bin('esbuild'), ['--bundle', '--platform=node', out, `use.${from}`], cwd)
    const webpack = [
      '--mode',
      'production',
      '--target',
      'node',
      '--entry',
      `./use.${from}`,
      '-o',
      `out/webpack-${from}`,
    ]
    await runToEnd(bin('webpack'), webpack, cwd)
  }
  await runToEnd(bin('rollup'), ['-c'], cwd)
  const made = [
    'esbuild-mjs.cjs',
    'esbuild-cjs.cjs',
    'webpack-mjs/main.js',
    'webpack-cjs/main.js',
    'rollup.mjs',
  ]
  for (const file of made) {
    const said = await runToEnd(process.execPath, [join('out', file)], cwd)
    if (said !== 'works') throw new Error(`${file}: ${said}`)
  }
  await runToEnd(bin('jest'), [], cwd)
  return `the TypeScript SDK by ${Object.entries(tools)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`
}
