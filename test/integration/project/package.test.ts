/**
 * What the package holds, from the list that it is made of; `npm run check:long package` packs, installs and serves it.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { it } from 'node:test'
import { asJavaScript, distFiles, packedManifest, shrinkwrapOf } from '../../../deploy/pack.ts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const files = distFiles()

it('packs every file that the sources load, and nothing of development', () => {
  const sources = new Set(files.values())
  assert.deepEqual(
    [...sources].filter((path) => path.endsWith('.test.ts') || !path.startsWith('src/')),
    [],
  )
  for (const needed of [
    'src/edge/cli/cli.ts',
    'src/edge/http/examples.json',
    'src/edge/cli/samples/python/server.py',
    'src/db/migrations/0001-foundation.sql',
  ])
    assert.ok(sources.has(needed), needed)
  const packed = (path: string): boolean =>
    sources.has(path) || /^docs\/.*\.md$/.test(path) || ['package.json', 'README.md', 'CHANGELOG.md'].includes(path)
  for (const source of [...sources].filter((path) => path.endsWith('.ts'))) {
    const text = readFileSync(source, 'utf8')
    const loaded = [
      ...text.matchAll(/^(?:import|export)\b[^'\n]*?'(\.[^']+)'|\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm),
      ...text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g),
    ]
    for (const [, ...paths] of loaded) {
      const path = normalize(join(dirname(source), paths.find(Boolean) as string))
      const folder = (): boolean => path === 'docs/' || [...sources].some((one) => one.startsWith(path))
      const inside = path.endsWith('/') ? folder() : packed(path)
      assert.ok(inside, `${source} loads ${path}, which is not packed`)
      assert.ok(path.endsWith('/') || existsSync(path), path)
    }
  }
  assert.deepEqual(
    manifest.files.filter((path: string) => !['dist', 'npm-shrinkwrap.json'].includes(path)),
    [
      ...['bin', 'docs/**/*.md', 'deploy/grafana', 'deploy/helm', 'deploy/prometheus', 'deploy/systemd'],
      ...['CHANGELOG.md', 'SECURITY.md'],
    ],
  )
})

it('packs JavaScript that finds its own files and what is vendored', () => {
  const vendored = new Set<string>()
  const text = `import { a, type B } from './b.ts'\nimport type { C } from 'viem'\nimport { d } from 'viem/utils'\nconst e: B = await import('../e.ts')\n`
  const made = asJavaScript(text, 'dist/rails/evm/x.js', vendored)
  assert.deepEqual(
    made.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' ')),
    [
      "import { a, } from './b.js'",
      '',
      "import { d } from '../../vendor/viem-utils.js'",
      "const e = await import('../e.js')",
      '',
    ],
  )
  assert.deepEqual([...vendored], ['viem/utils'])
})

it('has a manifest of what runs, at the versions of the lock file', () => {
  const packed = packedManifest(manifest)
  assert.deepEqual(
    ['private', 'scripts', 'devDependencies'].filter((name) => name in packed),
    [],
  )
  const names = Object.keys({ ...packed.dependencies, ...packed.optionalDependencies })
  assert.deepEqual(
    names.filter((name) => /anvil|viem|esbuild|biome|playwright/.test(name)),
    [],
  )
  const { packages } = shrinkwrapOf(lock, packed)
  for (const name of names) assert.ok(packages[`node_modules/${name}`], name)
  for (const at of Object.keys(packages)) assert.doesNotMatch(at, /anvil|viem|esbuild|biome|playwright|typescript/, at)
  // What a package needs of others is there.
  assert.ok(packages['node_modules/pg-pool'] && packages['node_modules/fontkit'])
})
