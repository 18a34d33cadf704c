/**
 * The package, as a user gets it: packed, installed in an empty folder elsewhere, and served from
 * there.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distFiles } from '../../deploy/pack.ts'
import { makeCall, must, until } from '../support/harness.ts'
import { type Check, has, megabytes, root, type Server, sh, start } from './check.ts'

/** Packs it. @returns the path of the packed file */
export async function pack(dir: string): Promise<string> {
  await sh(`npm pack --pack-destination ${dir}`, root)
  const [name] = readdirSync(dir).filter((file) => file.endsWith('.tgz'))
  assert.ok(name, 'npm pack makes a file')
  return join(dir, name)
}

/**
 * A payment, from its making to the wallet, over HTTP; and an invoice with its PDF. @throws {Error}
 * when a step is refused
 */
export async function pay({ url, output }: Pick<Server, 'url' | 'output'>): Promise<void> {
  const key = await until(async () => /sk_test_\w+/.exec(output())?.[0])
  const call = makeCall(url, key)
  const payment = await must(
    call('POST', '/payments', { amount: 250_000, currency: 'ngn', email: 'ada@example.com' }),
  )
  assert.equal((await fetch(payment.checkout_url)).status, 200)
  await must(call('POST', `/payments/${payment.id}/simulate`, { outcome: 'completed' }))
  assert.equal((await must(call('GET', `/payments/${payment.id}`))).status, 'completed')
  const wallets = await must(call('GET', '/wallets?currency=ngn'))
  assert.ok(wallets[0].total > 0)
  // Fonts and what draws with them.
  const { id: product } = await must(
    call('POST', '/products', { name: 'Book', amount: 5_000, currency: 'ngn' }),
  )
  const { id: customer } = await must(
    call('POST', '/customers', { name: 'Ada', email: 'ada@example.com' }),
  )
  const invoice = await must(
    call('POST', '/invoices', { customer, lines: [{ product, quantity: 2 }] }),
  )
  await must(call('POST', `/invoices/${invoice.id}/finalize`))
  const pdf = await call('GET', `/invoices/${invoice.id}/pdf`)
  assert.match(String(pdf.body), /^%PDF/)
  for (const path of ['/docs', '/dashboard', '/openapi.json', '/health'])
    assert.equal((await fetch(url + path)).status, 200, path)
}

export const packageCheck: Check = {
  name: 'package',
  lacks: () => (has('npm') ? null : 'npm'),
  async run(dir) {
    const packed = await pack(dir)
    assert.ok(!existsSync(join(root, 'dist')), 'the tree is as it was')
    assert.match(readFileSync(join(root, 'package.json'), 'utf8'), /"private": true/)
    const files = (await sh(`tar -tzf ${packed}`, dir)).trim().split('\n')
    for (const path of distFiles().keys())
      assert.ok(files.includes(`package/${path}`), `it lacks ${path}`)
    assert.ok(files.includes('package/sbom.cdx.json'), 'it lacks the SBOM')
    const stray = files.filter((path) =>
      /\.(ts|map|tgz)$|^package\/(test|bench|demo|sdk|src)\/|\.test\.(js|ts)/.test(path),
    )
    assert.deepEqual(stray, [])

    const shop = join(dir, 'shop')
    mkdirSync(shop)
    await sh(`npm install ${packed}`, shop, { npm_config_loglevel: 'error' })
    const whole = await megabytes(join(shop, 'node_modules'))
    const nodes = readdirSync(join(shop, 'node_modules')).filter((name) =>
      /^node-(bin-)?(linux|darwin|win)/.test(name),
    )
    const pinned =
      nodes.length === 0 ? 0 : await megabytes(join(shop, 'node_modules', nodes[0] as string))
    assert.ok(whole - pinned <= 250, `${whole - pinned} MB without the pinned Node.js`)
    // Libraries that went in whole.
    const inside = join(shop, 'node_modules/bursar/dist/rails/evm/evm.js')
    await sh(`node --input-type=module -e "await import('${inside}')"`, shop)

    const env = { LOG_LEVEL: 'warn', RATE_LIMIT_MAX: '0' }
    const first = await start('npx', ['bursar', 'serve'], shop, env)
    await pay(first)
    assert.match(
      await sh('npx bursar ledger verify', shop),
      /The books are clean: \d+ accounts, [1-9]/,
    )
    await first.stop(10_000)
    const second = await start('node_modules/.bin/bursar', ['serve', '--processes', '2'], shop, env)
    await until(async () => (await fetch(`${second.url}/health`)).status === 200, 60_000)
    const took = await second.stop(10_000)
    const node = (await sh('node --version', shop)).trim()
    return `${files.length} files; ${whole} MB installed, ${pinned} of them the pinned Node.js; served with ${node} on the path, ended in ${Math.round(took)} ms`
  },
}
