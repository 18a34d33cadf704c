import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { startReceiver } from '../../../test/support/receiver.ts'
import { type Config, readConfig } from '../../lib/config.ts'
import { Refusal } from '../../lib/errors.ts'
import { addressesOf } from './dns.ts'
import { isSuccess, post, readable } from './http-client.ts'
import { checkTarget, isPublicAddress } from './ssrf.ts'

const config = readConfig({})
const lenient = readConfig({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' })

const codeOf = async (url: string, given: Config = config): Promise<string | null> => {
  try {
    await checkTarget(given, url)
    return null
  } catch (error) {
    assert(error instanceof Refusal)
    return error.code
  }
}

test('only addresses on the public internet are public', () => {
  const local = [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.8',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a00:1',
    '64:ff9b:1::1',
    '2002:a00:1::',
    '2001:0:a00:1::1',
    '2001:db8::1',
    '100::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'localhost',
    '',
  ]
  for (const address of local) assert.equal(isPublicAddress(address), false, address)
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
  ])
    assert.equal(isPublicAddress(address), true, address)
})

test('a URL must be https and carry no credentials, also where private targets are allowed', async () => {
  for (const given of [config, lenient])
    for (const url of [
      'http://8.8.8.8/',
      'ftp://8.8.8.8/',
      'hooks',
      'https://',
      'https://user@8.8.8.8/',
      'https://:pw@8.8.8.8/',
    ])
      assert.equal(await codeOf(url, given), 'validation_failed', url)
})

test('a URL whose host is an address is judged by it, however it is written', async () => {
  const local = [
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://0/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]:8443/',
    'https://[fd00::1]/',
  ]
  for (const url of local) assert.equal(await codeOf(url), 'forbidden_target', url)
  for (const url of local) assert.equal(await codeOf(url, lenient), null, url)
  for (const url of ['https://8.8.8.8/hook', 'https://[2606:4700:4700::1111]/'])
    assert.equal(await codeOf(url), null, url)
})

test('a name that leads to a local address is refused, however it is written', async () => {
  const hosts = [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'shop.localhost',
    'shop.localhost.',
    'database',
    'database.',
  ]
  for (const host of [
    ...hosts,
    'printer.local',
    'printer.local.',
    'api.internal',
    'nas.home.arpa.',
  ])
    assert.equal(await codeOf(`https://${host}/hook`), 'forbidden_target', host)
  assert.equal(await codeOf('https://local.internal.not-localhost.invalid/hook'), null)
})

test('a name in the hosts file is found with a dot at its end too', async () => {
  assert.deepEqual(await addressesOf('localhost.', false), await addressesOf('localhost', false))
})

test('a name that does not resolve is accepted with a warning that names it', async () => {
  for (const given of [config, lenient]) {
    const [warning, ...more] = await checkTarget(given, 'https://hooks.invalid/')
    assert.deepEqual(more, [])
    assert.equal(warning?.code, 'unresolved_target')
    assert.match(warning?.message ?? '', /^hooks\.invalid /)
  }
  assert.deepEqual(await checkTarget(config, 'https://8.8.8.8/'), [])
})

test('a port is refused unless the server allows it, but on private targets where these are allowed', async () => {
  const open = readConfig({ WEBHOOK_PORTS: '443,9443' })
  const any = readConfig({ WEBHOOK_PORTS: '*' })
  for (const [url, given, refusal] of [
    ['https://8.8.8.8/', config, null],
    ['https://8.8.8.8:443/', config, null],
    ['https://8.8.8.8:8443/', config, null],
    ['https://8.8.8.8:9443/', config, 'validation_failed'],
    ['https://8.8.8.8:22/', config, 'validation_failed'],
    ['https://8.8.8.8:25/', lenient, 'validation_failed'],
    ['https://8.8.8.8:0/', config, 'validation_failed'],
    // Whether it is there is not told to who may not use its port.
    ['https://127.0.0.1:5432/', config, 'validation_failed'],
    ['https://8.8.8.8:9443/', open, null],
    ['https://8.8.8.8:8443/', open, 'validation_failed'],
    ['https://8.8.8.8:22/', any, null],
    ['https://10.0.0.1:22/', any, 'forbidden_target'],
    ['https://127.0.0.1:5432/', lenient, null],
    ['https://localhost:9443/', lenient, null],
    ['https://[::1]:9443/', lenient, null],
  ] as const)
    assert.equal(await codeOf(url, given), refusal, url)
  const said = await checkTarget(config, 'https://8.8.8.8:9443/').catch(
    (error: Refusal) => error.message,
  )
  assert.equal(
    said,
    'url must use port 443 or 8443; WEBHOOK_PORTS, a setting of the server, allows others',
  )
  for (const text of ['443,', 'https', '0', '65536', '443;8443', '*,443', '4.5'])
    assert.throws(() => readConfig({ WEBHOOK_PORTS: text }), /WEBHOOK_PORTS/, text)
})

test('local targets are refused at the connection too, by address and by name', async () => {
  for (const url of ['https://127.0.0.1:9/', 'https://[::1]:9/', 'https://localhost:9/']) {
    const exchange = await post(
      config,
      { url, headers: {}, body: '{}' },
      new AbortController().signal,
    )
    assert.equal(exchange.error, 'The URL leads to an address that is not public.', url)
    assert.equal(exchange.status, null)
    assert.equal(isSuccess(exchange), false)
  }
})

/**
 * Lets names be asked of a server that keeps what it was asked, and answers with an address or not
 * at all.
 */
async function startNameServer(t: TestContext, answer: string | null): Promise<string[]> {
  const asked: string[] = []
  const server = createSocket('udp4')
  server.on('message', (query, { port }) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length))
      at += 1 + length
    }
    asked.push(labels.join('.').toLowerCase())
    if (answer === null) return
    const isFour = query.readUInt16BE(at + 1) === 1
    const head = Buffer.from(query.subarray(0, at + 5))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(isFour ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const record = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...answer.split('.').map(Number)]
    server.send(Buffer.concat([head, Buffer.from(isFour ? record : [])]), port, '127.0.0.1')
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const ask = Resolver.prototype.resolve4 as (name: string) => Promise<string[]>
  t.mock.method(Resolver.prototype, 'resolve4', function (this: Resolver, name: string) {
    this.setServers([`127.0.0.1:${server.address().port}`])
    return ask.call(this, name)
  })
  return asked
}

test('names that nobody answers for hold up nobody else', async (t) => {
  const receiver = await startReceiver()
  t.after(() => receiver.stop())
  const waiting = (WEBHOOK_TIMEOUT: string) =>
    readConfig({
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      WEBHOOK_CA_FILE: receiver.caFile,
      WEBHOOK_TIMEOUT,
    })
  const asked = await startNameServer(t, null)
  const stopping = new AbortController()
  const send = (url: string, config = waiting('60s')) =>
    post(config, { url, headers: {}, body: '{}' }, stopping.signal)
  const names = ['a', 'b', 'c', 'd'].map((name) => `${name}.silent.example`)
  let ended = 0
  const hanging = names.map((name) => send(`https://${name}/`).finally(() => ended++))
  assert.equal((await send(`${receiver.url}/hook`)).status, 200)
  assert.equal(ended, 0)
  const given = await Promise.all(names.map((name) => send(`https://${name}/`, waiting('3s'))))
  stopping.abort()
  await Promise.allSettled(hanging)
  assert.deepEqual(
    given.map(({ error }) => error),
    names.map(() => 'No complete answer within 3000 ms.'),
  )
  assert.deepEqual([...new Set(asked)].sort(), names)
})

test('a name is judged by what DNS says of it, at registration and at the connection', async (t) => {
  const asked = await startNameServer(t, '10.1.2.3')
  assert.equal(await codeOf('https://hooks.example/'), 'forbidden_target')
  const { error } = await post(
    config,
    { url: 'https://hooks.example/', headers: {}, body: '{}' },
    new AbortController().signal,
  )
  assert.equal(error, 'The URL leads to an address that is not public.')
  assert.equal(asked.length, 4)
})

test('a stopping server breaks the exchange off with an error', async () => {
  await assert.rejects(
    post(config, { url: 'https://8.8.8.8/', headers: {}, body: '{}' }, AbortSignal.abort()),
  )
})

test('what came back is made into text that can be stored', () => {
  assert.equal(readable(Buffer.from('plain')), 'plain')
  assert.equal(readable(Buffer.from([0x61, 0x00, 0x62, 0xff, 0x63])), 'a\uFFFDb\uFFFDc')
  assert.equal(readable(Buffer.from('né').subarray(0, 2)), 'n')
})
