/**
 * The steps of the Dockerfile, without Docker: the same commands in an empty tree, and the server
 * started as the image starts it, by an unprivileged user who may write to the data directory and
 * nowhere else.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Check, has, megabytes, root, sh, start, userPath } from './check.ts'
import { pack, pay } from './package.ts'

const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll(/\\\n/g, ' ')
/** An instruction of a stage, by its name. */
function instruction(stage: RegExp, name: string): string {
  const [, part = ''] = dockerfile.split(stage)
  const found = new RegExp(`^${name} (.+)$`, 'm').exec(part.split(/^FROM /m)[0] as string)?.[1]
  assert.ok(found, `the Dockerfile has no ${name}`)
  return found
}
const last = /^FROM [^\n]*slim$/m
const uid = 1000

export const imageCheck: Check = {
  name: 'image',
  lacks() {
    if (!has('unshare') || !has('setpriv') || !has('npm'))
      return 'npm, and unshare and setpriv of util-linux'
    return spawnSync('unshare', ['--mount', 'true']).status === 0
      ? null
      : 'the right to make a mount namespace (root)'
  },
  async run(dir) {
    chmodSync(dir, 0o755)
    const [packed, opt, data, bin] = ['packed', 'opt/bursar', 'data', 'usr/local/bin'].map((name) =>
      join(dir, name),
    ) as [string, string, string, string]
    for (const path of [packed, opt, data, bin]) mkdirSync(path, { recursive: true })
    // Node.js of the image, in place of the one on this machine.
    cpSync(process.execPath, join(bin, 'node'))
    renameSync(await pack(dir), join(packed, 'bursar.tgz'))

    const install = instruction(/^FROM .* AS install$/m, 'RUN').replaceAll('/packed', packed)
    await sh(install, opt, { PATH: `${bin}:${userPath}` })
    const size = await megabytes(opt)
    assert.ok(size <= 250, `${size} MB`)
    execFileSync('chmod', ['-R', 'go+rX', opt])

    chownSync(data, uid, uid)
    chmodSync(data, 0o700)
    const [node, entry] = JSON.parse(instruction(last, 'ENTRYPOINT')) as [string, string]
    assert.equal(instruction(last, 'USER'), `${uid}:${uid}`)
    const env = {
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      DATA_DIR: data,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_MAX: '0',
    }
    const readOnly = [
      'mount --make-rprivate /',
      `mount --bind ${data} ${data}`,
      'mount -o remount,bind,ro /',
      // Where the rest is on other disks.
      'for at in /tmp /var /home /root /opt /dev/shm; do if mountpoint -q $at; then mount -o remount,bind,ro $at; fi; done',
      `if touch ${opt}/written 2>/dev/null || touch /tmp/written 2>/dev/null; then exit 9; fi`,
      `cd ${data}`,
      `exec setpriv --reuid=${uid} --regid=${uid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all ${join(bin, node)} ${join(dir, entry)} serve`,
    ]
    const server = await start('unshare', ['--mount', 'sh', '-ec', readOnly.join('\n')], dir, env)
    await pay(server)

    const [, check] = /CMD (\[.*\])/.exec(instruction(last, 'HEALTHCHECK')) ?? []
    const [, ...args] = JSON.parse(check ?? '[]') as string[]
    execFileSync(join(bin, node), args, { env: { PORT: new URL(server.url).port } })
    const took = await server.stop(10_000)
    return `${size} MB in /opt/bursar; user ${uid}, all read-only but DATA_DIR; a payment, its health check, and SIGTERM in ${Math.round(took)} ms`
  },
}
