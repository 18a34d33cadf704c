/**
 * The PHP SDK as a user gets it: a Composer artifact, installed from it into an empty project
 * without Packagist; run by PHP's curl, by Guzzle, and by a PSR-18 client that is given. Debian's
 * packages have what it depends on.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Driver, runToEnd, startProgram } from './driver.ts'
import type { Prepared } from './typescript.ts'

const source = join(import.meta.dirname, '../php')
const needed =
  'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("zip") ? 0 : 1);'
const debian = '/usr/share/php'
const client = '/Psr/Http/Client'
const message = '/Psr/Http/Message'

/** @param dir an empty folder */
export async function preparePhp(dir: string): Promise<Prepared> {
  const lacks = (why: string): Prepared => ({ drivers: [], passed: [], lacking: [`PHP: ${why}`] })
  try {
    await runToEnd('php', ['-r', needed], dir)
    await runToEnd('composer', ['--version', '--no-interaction'], dir)
  } catch {
    return lacks('it needs PHP 8.1 or newer with curl and zip, and Composer')
  }
  if (![client, message].every((path) => existsSync(debian + path)))
    return lacks('it needs php-psr-http-client and php-psr-http-factory of Debian')

  const artifacts = join(dir, 'artifacts')
  const copy = join(dir, 'source')
  cpSync(source, copy, { recursive: true })
  await composer(['archive', '--format=zip', `--dir=${artifacts}`], copy)
  const app = join(dir, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'composer.json'), JSON.stringify(projectOf(artifacts)))
  await composer(['install', '--no-progress', '--quiet'], app)
  cpSync(join(source, 'conformance'), app, { recursive: true })
  checkFiles(join(app, 'vendor/bursar/bursar'))
  const loaded = await runToEnd('php', ['load.php'], app)
  if (!/^\d+ classes\n$/.test(loaded)) throw new Error(loaded)

  await runToEnd('php', ['own.php'], app)

  const lacking: string[] = []
  const own = { agent: 'bursar-php/0.1.0 php/8.', integers: 'int64' } as const
  const start =
    (how: string): Driver['start'] =>
    (env = {}) =>
      startProgram('php', ['driver.php', how], { cwd: app, env })
  const can: Driver['can'] & {} = (await hasPcntl(app)) ? ['fork', 'proxies'] : ['proxies']
  if (can.length === 1) lacking.push('PHP, forked workers: it needs pcntl')
  const drivers: Driver[] = [{ name: 'PHP, curl', ...own, can, start: start('curl') }]
  if (existsSync(`${debian}/GuzzleHttp/autoload.php`))
    drivers.push({ name: 'PHP, Guzzle', ...own, can, quick: true, start: start('guzzle') })
  else lacking.push('PHP with Guzzle: it needs php-guzzlehttp-guzzle of Debian')
  if (drivers.length === 2 && existsSync(`${debian}/Nyholm/Psr7/autoload.php`))
    drivers.push({ name: 'PHP, a client given', ...own, quick: true, start: start('given') })
  else
    lacking.push(
      'PHP with a client given: it needs php-guzzlehttp-guzzle and php-nyholm-psr7 of Debian',
    )
  const passed = [
    'PHP: packed as a Composer artifact, with nothing but what is to be published, and installed from it without Packagist',
    'PHP: each of its classes, and the code of its README, is accepted by PHP; and what only PHP has',
  ]
  return { drivers, passed, lacking }
}

const hasPcntl = (dir: string): Promise<boolean> =>
  runToEnd('php', ['-r', 'exit(function_exists("pcntl_fork") ? 0 : 1);'], dir).then(
    () => true,
    () => false,
  )

const composer = (args: string[], cwd: string): Promise<string> =>
  runToEnd(
    'env',
    [
      'COMPOSER_ALLOW_SUPERUSER=1',
      'COMPOSER_DISABLE_NETWORK=1',
      'composer',
      '--no-interaction',
      ...args,
    ],
    cwd,
  )

/**
 * A user's project, whose packages all come from this machine.
 * @param artifacts a folder with the packed SDK, which the project then requires
 */
export function projectOf(artifacts?: string): object {
  const local = (name: string, url: string, namespace: string) => ({
    type: 'package',
    package: {
      name,
      version: '1.0.1',
      autoload: { 'psr-4': { [namespace]: '' } },
      dist: { type: 'path', url, 'transport-options': { symlink: false } },
    },
  })
  return {
    repositories: [
      ...(artifacts ? [{ type: 'artifact', url: artifacts }] : []),
      local('psr/http-client', debian + client, 'Psr\\Http\\Client\\'),
      local('psr/http-message', debian + message, 'Psr\\Http\\Message\\'),
      // Debian has the factories in the same folder.
      {
        type: 'package',
        package: { name: 'psr/http-factory', version: '1.0.1', type: 'metapackage' },
      },
      { 'packagist.org': false },
    ],
    ...(artifacts ? { require: { 'bursar/bursar': '0.1.0' } } : {}),
  }
}

function checkFiles(dir: string): void {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  )
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(dir.length + 1))
  const odd = paths.filter(
    (path) => !/^(src\/.+\.php|composer\.json|README\.md|LICENSE)$/.test(path),
  )
  if (odd.length > 0 || !paths.includes('src/Client.php'))
    throw new Error(`the package has ${odd.join(', ')}`)
}
