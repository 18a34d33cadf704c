/**
 * What the package holds, from the list that it is made of; `npm run check:long package` packs,
 * installs and serves it.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize } from 'node:path'
import { it } from 'node:test'
import {
  asJavaScript,
  distFiles,
  packedManifest,
  shrinkwrapOf,
  vendoredOf,
} from '../../../deploy/pack.ts'
import { makeSbom } from '../../../deploy/sbom.ts'

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
    'src/app/cli/cli.ts',
    'src/api/http/examples.json',
    'src/app/cli/samples/python/server.py',
    'src/db/schema/migrations/0001-basics.sql',
  ])
    assert.ok(sources.has(needed), needed)
  const packed = (path: string): boolean =>
    sources.has(path) ||
    /^docs\/.*\.md$/.test(path) ||
    ['package.json', 'README.md', 'CHANGELOG.md'].includes(path)
  for (const source of [...sources].filter((path) => path.endsWith('.ts'))) {
    const text = readFileSync(source, 'utf8')
    const loaded = [
      ...text.matchAll(
        /^(?:import|export)\b[^'\n]*?'(\.[^']+)'|\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm,
      ),
      ...text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g),
    ]
    for (const [, ...paths] of loaded) {
      const path = normalize(join(dirname(source), paths.find(Boolean) as string))
      const folder = (): boolean =>
        path === 'docs/' || [...sources].some((one) => one.startsWith(path))
      const inside = path.endsWith('/') ? folder() : packed(path)
      assert.ok(inside, `${source} loads ${path}, which is not packed`)
      assert.ok(path.endsWith('/') || existsSync(path), path)
    }
  }
  assert.deepEqual(
    manifest.files.filter(
      (path: string) => !['dist', 'npm-shrinkwrap.json', 'sbom.cdx.json'].includes(path),
    ),
    [
      'bin',
      'docs/**/*.md',
      'deploy/grafana',
      'deploy/helm',
      'deploy/prometheus',
      'deploy/systemd',
      'CHANGELOG.md',
      'SECURITY.md',
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
  for (const at of Object.keys(packages))
    assert.doesNotMatch(at, /anvil|viem|esbuild|biome|playwright|typescript/, at)
  // What a package needs of others is there.
  assert.ok(packages['node_modules/pg-pool'] && packages['node_modules/fontkit'])
})

it('lists all that is shipped in an SBOM, the same each time', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-sbom-'))
  try {
    const packed = packedManifest(manifest)
    const shrinkwrap = shrinkwrapOf(lock, packed)
    writeFileSync(join(dir, 'package.json'), JSON.stringify(packed))
    writeFileSync(join(dir, 'npm-shrinkwrap.json'), JSON.stringify(shrinkwrap))
    // Several places of the tree have the same version of what a library needs.
    const bundled = Object.keys(lock.packages).filter((at) =>
      /\/(viem|@opentelemetry\/\w+)$/.test(at),
    )
    assert.ok(bundled.length > vendoredOf(lock, bundled).length)
    const vendored = vendoredOf(lock, bundled)
    const sbom = makeSbom(dir, vendored)
    assert.deepEqual(makeSbom(dir, vendored), sbom)
    assert.equal(sbom.metadata.component.name, 'bursar')

    const purls = new Set(sbom.components.map(({ purl }) => purl))
    for (const [at, { version }] of Object.entries(shrinkwrap.packages)) {
      const name = at
        .slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)
        .replace('@', '%40')
      if (at !== '') assert.ok(purls.has(`pkg:npm/${name}@${version}`), at)
    }
    assert.ok(purls.has(`pkg:npm/viem@${lock.packages['node_modules/viem'].version}`))
    for (const { name, hashes } of sbom.components)
      assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, name)
    const programs = sbom.components.flatMap(({ components = [] }) =>
      components.map(({ cpe }) => cpe),
    )
    for (const product of [
      /^cpe:2\.3:a:postgresql:postgresql:18\.\d+:/,
      /^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:/,
    ])
      assert.equal(programs.filter((cpe) => product.test(cpe ?? '')).length, 5, String(product))

    const refs = sbom.components.map((one) => one['bom-ref'])
    assert.equal(new Set(refs).size, refs.length, 'each reference is used once')
    const known = new Set([...refs, sbom.metadata.component['bom-ref']])
    for (const { ref, dependsOn } of sbom.dependencies)
      for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), one)
  } finally {
    rmSync(dir, { recursive: true })
  }
})
