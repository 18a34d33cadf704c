/**
 * Goal: what a provider puts into a refusal reaches no log, unless it looks like a code.
 * Method: each provider's client asks a server that refuses with a name, a number and a long text.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Log } from '../../lib/log.ts'
import { openClient as openBridge } from '../bridge/client.ts'
import { openClient as openDojah } from '../dojah/client.ts'
import { openClient as openMonnify } from '../monnify/client.ts'
import { openClient as openPaystack } from '../paystack/client.ts'
import { openClient as openStripe } from '../stripe/client.ts'

const token = {
  requestSuccessful: true,
  responseCode: '0',
  responseBody: { accessToken: 't', expiresIn: 3_600 },
}
/** A refusal in the form of every provider at once. */
const refusalWith = (code: string) => ({
  status: false,
  requestSuccessful: false,
  code,
  responseCode: code,
  message: code,
  responseMessage: code,
  error: { code, type: code, message: code },
})

let code = ''
const server = createServer(({ url }, response) => {
  const isLogin = url?.endsWith('/login')
  const requestIds = { 'x-request-id': code, 'request-id': code, 'cf-ray': code }
  response.writeHead(isLogin ? 200 : 400, requestIds)
  response.end(JSON.stringify(isLogin ? token : refusalWith(code)))
})
before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
after(() => server.close())

const asking = { urgency: 'ask', method: 'GET', path: '/v1/something' } as const

describe("a provider's refusal", () => {
  const lines: string[] = []
  const note = (fields: object, text: string): void =>
    void lines.push(JSON.stringify(fields) + text)
  const log: Log = { debug() {}, info: note, warn: note, error: note, isLevelEnabled: () => true }
  const ask = async (): Promise<string> => {
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const reach = { host, connectMs: 1_000, wholeMs: 1_000 }
    const parts = { reach, log, clock: { now: () => new Date() }, livemode: true }
    lines.length = 0
    await Promise.all([
      openPaystack({ ...parts, secretKey: 's' }).ask(asking),
      openStripe({ ...parts, secretKey: 's' }).ask(asking),
      openBridge({ ...parts, apiKey: 'a' }).ask(asking),
      openMonnify({ ...parts, apiKey: 'a', secretKey: 's' }).ask(asking),
      openDojah({ ...parts, appId: 'a', secretKey: 's' }).ask(asking),
    ])
    return lines.join('\n')
  }

  it('is logged with its code and the id of the request', async () => {
    code = 'some_code.1'
    assert.equal((await ask()).match(/"code":"some_code.1"/g)?.length, 4)
    assert.equal(lines.join().match(/"request_id":"some_code.1"/g)?.length, 3)
  })
  for (const [what, text] of Object.entries({
    'a name': 'Ada Okafor',
    'a number': '0123456789',
    'a long text': 'x'.repeat(5_000),
    'a key': 'sk_live_abcdef123',
  }))
    it(`that has ${what} for a code is logged without it`, async () => {
      code = text
      assert.ok(
        !(await ask()).includes(`"code":"${text}"`) && !lines.join().includes(`"type":"${text}"`),
      )
      assert.match(lines.join(), /"code":"…"/)
    })
})
