import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Config, readConfig } from '../lib/config.ts'
import { Refusal } from '../lib/errors.ts'
import { checkTarget, isPublicAddress, isTaken, post, readable } from './targets.ts'

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
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])
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

test('a name that leads to a local address is refused', async () => {
  assert.equal(await codeOf('https://localhost/hook'), 'forbidden_target')
})

test('a name that does not resolve is accepted', async () => {
  assert.equal(await codeOf('https://hooks.invalid/'), null)
})

test('local targets are refused at the connection too, by address and by name', async () => {
  for (const url of ['https://127.0.0.1:9/', 'https://[::1]:9/', 'https://localhost:9/']) {
    const exchange = await post(config, { url, headers: {}, body: '{}' }, new AbortController().signal)
    assert.equal(exchange.error, 'The URL leads to an address that is not public.', url)
    assert.equal(exchange.status, null)
    assert.equal(isTaken(exchange), false)
  }
})

test('a stopping server breaks the exchange off with an error', async () => {
  await assert.rejects(post(config, { url: 'https://8.8.8.8/', headers: {}, body: '{}' }, AbortSignal.abort()))
})

test('what came back is made into text that can be stored', () => {
  assert.equal(readable(Buffer.from('plain')), 'plain')
  assert.equal(readable(Buffer.from([0x61, 0x00, 0x62, 0xff, 0x63])), 'a\uFFFDb\uFFFDc')
  assert.equal(readable(Buffer.from('né').subarray(0, 2)), 'n')
})
