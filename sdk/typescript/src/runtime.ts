/**
 * Where the SDK runs: Node.js, Bun, Deno, workerd, or something else that has `fetch` and Web Crypto.
 */

/** The version of this package. */
export const version = '0.1.0'

const here = globalThis as {
  Bun?: { version: string }
  Deno?: { version: { deno: string } }
  process?: { env?: Record<string, string | undefined>; versions?: { node?: string } }
  navigator?: { userAgent?: string }
}

function runtime(): string {
  if (here.Bun) return `bun/${here.Bun.version}`
  if (here.Deno) return `deno/${here.Deno.version.deno}`
  if (here.navigator?.userAgent === 'Cloudflare-Workers') return 'workerd'
  return here.process?.versions?.node ? `node/${here.process.versions.node}` : 'unknown'
}

export const agent = `bursar-typescript/${version} ${runtime()}`

/** A variable of the environment, where there is one and it may be read. */
export function environment(name: string): string | undefined {
  try {
    return here.process?.env?.[name]
  } catch {
    // Deno asks for --allow-env.
    return undefined
  }
}
