/** Collects the routes' paths, so that a request with a wrong method learns which are allowed. */
import type { FastifyInstance } from 'fastify'

const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Collects the paths of the routes added from now on. @returns a function that returns a path's
 * methods; none for an unknown path
 */
export function collectPaths(server: FastifyInstance): (path: string) => string[] {
  const paths = new Map<string, { is: RegExp; methods: Set<string> }>()
  server.addHook('onRoute', ({ url, method }) => {
    const known = paths.get(url) ?? { is: patternOf(url), methods: new Set() }
    paths.set(url, known)
    for (const one of [method].flat()) known.methods.add(one)
  })
  return (path) => {
    const found = [...paths.values()]
      .filter(({ is }) => is.test(path))
      .flatMap(({ methods }) => [...methods])
    return order.filter((method) => found.includes(method))
  }
}

function patternOf(url: string): RegExp {
  const parts = url.replace(/\/+$/, '').split('/')
  const pattern = parts.map((part) => {
    if (part.startsWith(':')) return '[^/]+'
    return part === '*' ? '.*' : RegExp.escape(part)
  })
  return new RegExp(`^${pattern.join('/')}/?$`)
}

/**
 * Makes a URL's path decodable: bytes that are no UTF-8 become NUL, which no record's name
 * contains.
 */
export function decodable(url: string): string {
  if (!url.includes('%')) return url
  const [path = '', ...query] = url.split('?')
  const decoded = path.replaceAll(/(?:%[0-9a-f]{2})+|%/gi, (part) =>
    canDecode(part) ? part : '%00',
  )
  return [decoded, ...query].join('?')
}

function canDecode(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
