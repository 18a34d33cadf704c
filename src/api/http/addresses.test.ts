import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { makeCall, startServer, type TestServer } from '../../../test/support/harness.ts'
import { createKey } from '../../books/businesses/businesses.ts'
import { outside } from '../../core/outside.ts'
import { readAddress } from './addresses.ts'

describe('the client’s address', () => {
  async function behindProxy(
    env: Record<string, string>,
    act: (server: TestServer) => Promise<void>,
  ): Promise<void> {
    const server = await startServer({ RATE_LIMIT_WINDOW: '1h', ...env })
    await act(server).finally(() => server.stop())
  }
  /** Asks as a proxy does, and gives the status. */
  const from = async (server: TestServer, chain: string): Promise<number> =>
    (await server.call('GET', '/wallets', undefined, { 'x-forwarded-for': chain })).status

  it('is read as proxies write it', () => {
    for (const [text, address] of [
      ['1.2.3.4', '1.2.3.4'],
      ['1.2.3.4:567', '1.2.3.4'],
      ['::1', '::1'],
      ['[::1]', '::1'],
      ['[::1]:567', '::1'],
      ['2001:DB8:0:0::1', '2001:db8::1'],
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['[::ffff:102:304]:80', '1.2.3.4'],
      ['fe80::1%eth0', 'fe80::1'],
      ...[
        '',
        'unknown',
        '1.2.3',
        '1.2.3.4:',
        '1.2.3.4:abc',
        '1.2.3.4.5:80',
        '[1.2.3',
        ':80',
        '_hidden',
        '1.2.3.4/8',
      ].map((bad) => [bad, null] as const),
    ] as const)
      assert.equal(readAddress(text), address, text)
  })

  it('is the connection’s where a proxy sends something else, and harms nobody', async () => {
    await behindProxy({ RATE_LIMIT_MAX: '100', TRUST_PROXY: '1' }, async (server) => {
      // Not to be compressed: PostgreSQL would store a long key of one letter.
      const long = () => randomBytes(2_000).toString('hex')
      const chains = Array.from({ length: 80 }, (_, n) => (n % 2 ? `203.0.113.${n}` : long()))
      const statuses = await Promise.all(chains.map((chain) => from(server, chain)))
      assert.deepEqual([...new Set(statuses)], [200])
      const counted = await Promise.all(
        Array.from({ length: 61 }, (_, n) => from(server, n % 2 ? 'rubbish' : long())),
      )
      assert.deepEqual(
        counted.filter((status) => status !== 200),
        [429],
      )
    })
  })

  it('has no port, so that proxies that write one change nothing', async () => {
    await behindProxy({ RATE_LIMIT_MAX: '2', TRUST_PROXY: '1' }, async (server) => {
      assert.equal(await from(server, '198.51.100.1:1001'), 200)
      assert.equal(await from(server, '198.51.100.1:1002'), 200)
      assert.equal(await from(server, '198.51.100.1'), 429)
      assert.equal(await from(server, '[2001:db8::1]:1001'), 200)
      assert.equal(await from(server, '2001:db8::2'), 200)
      assert.equal(await from(server, '[2001:db8::3]:1002'), 429)
      assert.equal(await from(server, '2001:db8:0:100::1'), 200)
      const scope = { businessId: server.businessId, livemode: false, now: server.app.clock.now() }
      const { key } = await outside(server.app, scope).write((work) =>
        createKey(work, { name: 'office', allowIps: ['198.51.100.7', '2001:db8:7::/48'] }),
      )
      const at = async (address: string) =>
        (
          await makeCall(server.url, key)('GET', '/wallets', undefined, {
            'x-forwarded-for': address,
          })
        ).status
      assert.equal(await at('198.51.100.7:4444'), 200)
      assert.equal(await at('[2001:db8:7::1]:4444'), 200)
      assert.equal(await at('198.51.100.8:4444'), 403)
    })
  })

  it('is looked for behind proxies that are named, with their ports', async () => {
    await behindProxy(
      { RATE_LIMIT_MAX: '1', TRUST_PROXY: 'loopback, 10.0.0.0/8' },
      async (server) => {
        assert.equal(await from(server, '6.6.6.6, 203.0.113.9:1000, 10.1.2.3:5000, 127.0.0.1'), 200)
        assert.equal(await from(server, '7.7.7.7, 203.0.113.9:1001, 10.1.2.4:5001'), 429)
        assert.equal(await from(server, '203.0.113.10, 10.1.2.3:5000'), 200)
      },
    )
  })
})
