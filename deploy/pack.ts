/**
 * Makes the package that `npm pack` packs. Node.js strips no types below `node_modules`, so the
 * sources go in as JavaScript, in `dist`; the manifest goes without what only developers need, and
 * with a shrinkwrap: an installation has the versions that were tested. An SBOM lists them.
 * `postpack` puts the tree back.
 */
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { makeSbom, type Vendored } from './sbom.ts'

type Manifest = Record<string, unknown> & Partial<Record<DependencyField, Record<string, string>>>
type DependencyField = 'dependencies' | 'devDependencies' | 'optionalDependencies'
type Locked = Partial<Vendored> & {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}
type Lock = Record<string, unknown> & { packages: Record<string, Locked> }

const root = join(import.meta.dirname, '..')
const read = (dir: string, name: string) => JSON.parse(readFileSync(join(dir, name), 'utf8'))
const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/**
 * What is a tool of those who work on Bursar, though the lock file must have it for one platform
 * only, as optional.
 */
const forDevelopers = ['@foundry-rs/anvil-linux-amd64']

/**
 * Libraries of which little is used, and which are large: what is used goes into the package, in
 * `dist/vendor`, with their licences. Of viem and OpenTelemetry an installation would have 130 MB.
 */
const isVendored = (specifier: string): boolean => /^(viem|@opentelemetry)(\/|$)/.test(specifier)

/**
 * What is made of the sources: each file of the package below `dist`, and the source that it comes
 * from.
 */
export function distFiles(dir = root): Map<string, string> {
  const sources = globSync(['src/**/*.{ts,json,sql,mjs,py}'], { cwd: dir }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  return new Map(
    sources
      .sort()
      .map((path) => [path.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'), path] as const),
  )
}

const imported = /((?:\bfrom|\bimport)\s*\(?\s*)'([^'\n]+)'/g

/**
 * A source as JavaScript, line for line: where an error names a line, it is the source's.
 * @param path of the file below `dist`, from where vendored libraries are found
 * @param vendored is given each of those that it imports
 */
export function asJavaScript(text: string, path: string, vendored: Set<string>): string {
  return stripTypeScriptTypes(text).replaceAll(
    imported,
    (whole, before: string, specifier: string) => {
      if (specifier.startsWith('.')) return `${before}'${specifier.replace(/\.ts$/, '.js')}'`
      if (!isVendored(specifier)) return whole
      vendored.add(specifier)
      return `${before}'${relative(dirname(path), `dist/vendor/${fileOf(specifier)}`)}.js'`
    },
  )
}

const fileOf = (specifier: string): string => specifier.replace('@', '').replaceAll('/', '-')

/** The manifest of the package. */
export function packedManifest({
  devDependencies: _,
  scripts: __,
  private: ___,
  ...kept
}: Manifest) {
  const without = (all: Record<string, string> = {}, dropped: (name: string) => boolean) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !dropped(name)))
  return {
    ...kept,
    dependencies: without(kept.dependencies, isVendored),
    optionalDependencies: without(kept.optionalDependencies, (name) =>
      forDevelopers.includes(name),
    ),
  } satisfies Manifest
}

/** What the lock file has of that manifest: the packages that are reached from its dependencies. */
export function shrinkwrapOf(lock: Lock, manifest: Manifest): Lock {
  const reached = new Set<string>()
  const visit = (from: string, of: Locked): void => {
    const peers = Object.keys(of.peerDependencies ?? {}).filter(
      (name) => !of.peerDependenciesMeta?.[name]?.optional,
    )
    for (const name of [
      ...Object.keys({ ...of.dependencies, ...of.optionalDependencies }),
      ...peers,
    ]) {
      const at = whereFound(lock, from, name)
      if (at === null || reached.has(at)) continue
      reached.add(at)
      visit(at, lock.packages[at] as Locked)
    }
  }
  visit('', manifest)
  const packages = [...reached].sort().map((at) => [at, lock.packages[at] as Locked] as const)
  const { files: _, ...own } = manifest
  return { ...lock, packages: { '': own as Locked, ...Object.fromEntries(packages) } }
}

/** Where Node.js finds a package from another: in its own folder, or in one above. */
function whereFound({ packages }: Lock, from: string, name: string): string | null {
  for (
    let at = from;
    ;
    at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : ''
  ) {
    const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (place in packages) return place
    if (at === '') return null
  }
}

/** What `prepack` changes in the tree, and where the original is kept meanwhile. */
const manifest = 'package.json'
const kept = 'package.json.unpacked'
const made = ['dist', 'npm-shrinkwrap.json', 'sbom.cdx.json']

/**
 * Bundles what the sources use of the vendored libraries, and puts the licences beside it.
 * @returns where the packages that it took something of are in the lock file
 */
async function vendor(specifiers: Set<string>): Promise<string[]> {
  const { build } = await import('esbuild')
  const folder = join(root, 'dist/vendor')
  mkdirSync(folder, { recursive: true })
  const entries = [...specifiers].map((specifier) => {
    const file = join(folder, `${fileOf(specifier)}.entry.js`)
    writeFileSync(file, `export * from '${specifier}'\n`)
    return { file, name: fileOf(specifier) }
  })
  const { metafile } = await build({
    entryPoints: entries.map(({ file, name }) => ({ in: file, out: name })),
    outdir: folder,
    bundle: true,
    // One copy of what several entries share: an error that one throws is of the class that another
    // exports.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as $r } from 'node:module'; const require = $r(import.meta.url);",
    },
    legalComments: 'none',
    metafile: true,
    absWorkingDir: root,
    logLevel: 'error',
  })
  for (const { file } of entries) rmSync(file)
  const names = Object.keys(metafile.inputs).map(
    (path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[0],
  )
  const dirs = [...new Set(names)].filter((dir) => dir !== undefined)
  writeFileSync(
    join(folder, 'LICENSES.txt'),
    `${dirs
      .map(licenceOf)
      .sort()
      .join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
  )
  return dirs.map((dir) => dir.slice(dir.indexOf('node_modules/'))).sort()
}

/** What the lock file has of packages, for the SBOM: each version once. */
export function vendoredOf(lock: Lock, places: string[]): Vendored[] {
  const all = places.map((at) => {
    const { version, license, integrity } = lock.packages[at] as Vendored
    const name = at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return [`${name}@${version}`, { name, version, license, integrity }] as const
  })
  return [...new Map(all).values()]
}

/** @throws {Error} when the package has no licence with it */
function licenceOf(dir: string): string {
  const { name, version } = read(join(root, dir), manifest)
  const [file] = globSync('LICEN[SC]E*', { cwd: join(root, dir) })
  if (file === undefined)
    throw new Error(`${name} has no file of its licence, which must go with what is taken of it`)
  return `${name} ${version}\n\n${readFileSync(join(root, dir, file), 'utf8').trim()}`
}

async function prepare(): Promise<void> {
  // One that was broken off has left it.
  if (!existsSync(join(root, kept))) cpSync(join(root, manifest), join(root, kept))
  const packed = packedManifest(read(root, kept))
  for (const name of made) rmSync(join(root, name), { recursive: true, force: true })
  const vendored = new Set<string>()
  for (const [path, source] of distFiles()) {
    const text = readFileSync(join(root, source), 'utf8')
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(
      join(root, path),
      source.endsWith('.ts') ? asJavaScript(text, path, vendored) : text,
    )
  }
  const places = await vendor(vendored)
  const lock = read(root, 'package-lock.json')
  writeFileSync(join(root, 'npm-shrinkwrap.json'), asJson(shrinkwrapOf(lock, packed)))
  writeFileSync(join(root, manifest), asJson(packed))
  writeFileSync(join(root, 'sbom.cdx.json'), asJson(makeSbom(root, vendoredOf(lock, places))))
}

function restore(): void {
  if (existsSync(join(root, kept))) renameSync(join(root, kept), join(root, manifest))
  for (const name of made) rmSync(join(root, name), { recursive: true, force: true })
}

if (import.meta.main)
  if (process.argv[2] === 'prepare') await prepare()
  else restore()
