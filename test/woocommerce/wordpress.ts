/**
 * A WordPress of Debian's package, with a MariaDB and a web server of its own below one folder, and
 * in it the gateway and a double of WooCommerce.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { has, root, sh } from '../long/check.ts'
import { until } from '../support/harness.ts'
import { freePort } from '../support/ports.ts'

const installed = '/usr/share/wordpress'

/** What the machine lacks for it, or null. */
export function lacksWordPress(): string | null {
  const lacking = ['php', 'mariadbd', 'mariadb-install-db'].filter((program) => !has(program))
  if (!existsSync(join(installed, 'wp-load.php'))) lacking.push('WordPress')
  return lacking.length > 0
    ? `${lacking.join(', ')} (apt-get install --no-install-recommends wordpress mariadb-server php-cli php-mysql)`
    : null
}

export type WordPress = {
  url: string
  /** Runs a PHP file of this folder, as a person at the server would. */
  php(file: string): Promise<string>
  /** Asks the double of WooCommerce: `checkout`, `order`, `refund`, `blocks`. */
  // biome-ignore lint/suspicious/noExplicitAny: records of every shape
  ask(path: string, body?: Record<string, unknown>): Promise<any>
  /** As the administrator, who is signed in. @returns the page */
  admin(path: string, form?: Record<string, string>): Promise<string>
  /** What PHP complained of in the plugin's files. */
  complaints(): string[]
  stop(): Promise<void>
}

/** Starts one. @param dir empty; its path must be short, since a socket lies in it */
export async function startWordPress(dir: string): Promise<WordPress> {
  const started: ChildProcess[] = []
  const begin: Begin = (line, cwd, env = {}) => {
    started.push(
      spawn('sh', ['-c', line], {
        cwd,
        env: { ...process.env, ...env },
        stdio: 'ignore',
        detached: true,
      }),
    )
  }
  const stop = async (): Promise<void> => void (await Promise.all(started.map(end)))
  try {
    return { ...(await install(dir, begin)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts a line of shell that goes on. */
type Begin = (line: string, cwd: string, env?: Record<string, string>) => void

async function install(dir: string, begin: Begin): Promise<Omit<WordPress, 'stop'>> {
  const [db, wp, log, socket] = ['db', 'wp', 'debug.log', 's.sock'].map((name) =>
    join(dir, name),
  ) as [string, string, string, string]
  await sh(
    `mariadb-install-db --no-defaults --datadir=${db} --auth-root-authentication-method=normal --skip-test-db`,
    dir,
  )
  const server = `--no-defaults --datadir=${db} --socket=${socket} --skip-networking --skip-log-bin`
  begin(`exec mariadbd ${server}${process.getuid?.() === 0 ? ' --user=root' : ''}`, dir)
  const mysql = `mariadb --no-defaults --socket=${socket} -u root`
  await until(() => sh(`${mysql} -e 'select 1'`, dir).catch(() => false), 60_000)
  await sh(`${mysql} -e "create database shop character set utf8mb4"`, dir)

  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await sh(`cp -rL ${installed} ${wp} 2>/dev/null; test -f ${wp}/wp-load.php`, dir)
  cpSync(join(root, 'test/woocommerce/theme'), join(wp, 'wp-content/themes/bare'), {
    recursive: true,
  })
  cpSync(join(root, 'test/woocommerce/double'), join(wp, 'wp-content/plugins/woocommerce'), {
    recursive: true,
  })
  const plugin = 'wp-content/plugins/bursar-gateway'
  cpSync(join(root, 'integrations/woocommerce/bursar-gateway'), join(wp, plugin), {
    recursive: true,
  })
  const keys = ['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'].flatMap((key) => [
    `${key}_KEY`,
    `${key}_SALT`,
  ])
  const settings: Record<string, string | boolean> = {
    ...Object.fromEntries(keys.map((key) => [key, `${key} of a test`])),
    DB_NAME: 'shop',
    DB_USER: 'root',
    DB_PASSWORD: '',
    DB_HOST: `localhost:${socket}`,
    DB_CHARSET: 'utf8mb4',
    WP_HOME: url,
    WP_SITEURL: url,
    WP_DEBUG: true,
    WP_DEBUG_DISPLAY: false,
    WP_DEBUG_LOG: log,
    DISABLE_WP_CRON: true,
    WP_HTTP_BLOCK_EXTERNAL: true,
    WP_ACCESSIBLE_HOSTS: '127.0.0.1',
  }
  const lines = Object.entries(settings).map(
    ([name, value]) => `define('${name}', ${JSON.stringify(value)});`,
  )
  writeFileSync(
    join(wp, 'wp-config.php'),
    `<?php\n${lines.join('\n')}\n$table_prefix = 'wp_';\nrequire_once ABSPATH . 'wp-settings.php';\n`,
  )
  const php = (file: string): Promise<string> =>
    sh(`php ${join(root, 'test/woocommerce', file)} ${wp} 127.0.0.1:${port}`, dir)
  const said = await php('install.php')
  if (!said.includes('installed WordPress')) throw new Error(said)
  begin(`exec php -d display_errors=0 -S 127.0.0.1:${port} -t ${wp}`, wp, {
    PHP_CLI_SERVER_WORKERS: '4',
  })
  await until(() => fetch(`${url}/wp-login.php`).catch(() => false), 60_000)

  const cookies = new Map<string, string>()
  async function admin(path: string, form?: Record<string, string>): Promise<string> {
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
    const init = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
    const answer = await fetch(`${url}/${path}`, { headers, redirect: 'manual', ...init })
    for (const cookie of answer.headers.getSetCookie()) {
      const [name, value] = (cookie.split(';')[0] as string).split('=') as [string, string]
      cookies.set(name, value)
    }
    return answer.text()
  }
  await admin('wp-login.php')
  await admin('wp-login.php', {
    log: 'admin',
    pwd: 'a password of a test',
    testcookie: '1',
    redirect_to: '/wp-admin/',
  })
  return {
    url,
    php,
    admin,
    async ask(path, body = {}) {
      const answer = await fetch(`${url}/wp-json/double/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    },
    complaints: () =>
      (existsSync(log) ? readFileSync(log, 'utf8') : '')
        .split('\n')
        .filter((line) => line.includes(plugin)),
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  process.kill(-(child.pid as number), 'SIGTERM')
  await closed
}
