import type { App } from './app.ts'

/**
 * The address of a page of the dashboard. In a cell that is not the first it says which, for the
 * browser that has chosen none yet.
 * @param path below `/dashboard`, with its slash
 */
export function dashboardUrl(
  { origin, config }: Pick<App, 'origin' | 'config'>,
  path: string,
): string {
  const cell = config.LIMITS_DATABASE_URL === null ? '' : `?cell=${config.CELL}`
  return `${origin.url}/dashboard${path}${cell}`
}
