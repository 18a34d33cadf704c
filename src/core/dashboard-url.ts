import type { App } from './app.ts'

/**
 * Returns the address of a dashboard page. In a cell other than the first, the address names the
 * cell for browsers that have not chosen one.
 * @param path below `/dashboard`, with its leading slash
 */
export function dashboardUrl(
  { origin, config }: Pick<App, 'origin' | 'config'>,
  path: string,
): string {
  const cell = config.LIMITS_DATABASE_URL === null ? '' : `?cell=${config.CELL}`
  return `${origin.url}/dashboard${path}${cell}`
}
