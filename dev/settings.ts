/**
 * Where `npm run dev` may run: its test key is public, so never in production and never on a
 * database elsewhere.
 */
import { newClient } from '../src/db/db.ts'
import { parseHosts } from '../src/db/hosts.ts'
import { type Config, ConfigError, readConfig } from '../src/lib/config.ts'

/**
 * Reads the configuration. @throws {ConfigError} that says what to change, where `npm run dev` may
 * not run
 */
export function readDevConfig(env: NodeJS.ProcessEnv): Config {
  if (env.NODE_ENV === 'production')
    throw new ConfigError(
      'NODE_ENV is production, and the test key of npm run dev is public: use npm start.',
    )
  const config = readConfig(env)
  if (config.CELLS_FILE !== null)
    throw new ConfigError('CELLS_FILE is set, and npm run dev serves one cell: unset it.')
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL'] as const)
    if (config[name] !== null && !isLocal(config[name]))
      throw new ConfigError(
        `${name} is not on this machine, and the test key of npm run dev is public: unset it, or name a local database.`,
      )
  return config
}

/** Whether all servers of a database URL are on this machine. */
export function isLocal(url: string): boolean {
  const { servers } = parseHosts(url)
  const hosts = servers.length > 0 ? servers.map(({ host }) => host) : [newClient(url).host]
  return hosts.every((host) => /^(localhost|127(\.\d+){3}|::1|\[::1\]|\/.*)$/.test(host))
}
