/**
 * Goal: what is wrong with a new target is said when it is given, and no endpoint that is there
 * stops working by a rule that came later. Method: endpoints are registered and changed over HTTP;
 * one is made as an older version would have kept it.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, must, shareServer, type TestServer } from '../../../test/support/harness.ts'

describe('the targets of webhooks', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
  })
  after(() => server.stop())

  const register = (url: string): Promise<Json> => must(server.call('POST', '/webhooks', { url }))

  it('may have the ports that the server allows, and endpoints that exist keep theirs', async () => {
    const url = 'https://8.8.8.8:9443/hook'
    const { id } = await register('https://8.8.8.8:8443/hook')
    for (const [method, path] of [
      ['POST', '/webhooks'],
      ['PUT', `/webhooks/${id}`],
    ] as const) {
      const refused = await server.call(method, path, { url })
      assert.deepEqual([refused.status, refused.data[0].path], [422, 'url'])
      assert.match(refused.body.message, /^url must use port 443 or 8443; WEBHOOK_PORTS/)
    }
    // As a version before the rule had registered it.
    await server.app.db.query('update webhooks set url = $2 where id = $1', [id, url])
    const kept = await must(
      server.call('PUT', `/webhooks/${id}`, { url, description: 'still here' }),
    )
    assert.deepEqual([kept.url, kept.description, kept.warnings], [url, 'still here', []])
    const moved = await server.call('PUT', `/webhooks/${id}`, { url: `${url}/2` })
    assert.equal(moved.status, 422)
    assert.equal((await must(server.call('GET', `/webhooks/${id}`))).url, url)
  })

  it('that no name server knows are taken with a warning, at registration and at a change', async () => {
    const url = 'https://hooks.invalid/bursar'
    const made = await register(url)
    assert.deepEqual(
      made.warnings.map(({ code }: Json) => code),
      ['unresolved_target'],
    )
    assert.match(made.warnings[0].message, /hooks\.invalid/)
    const { warnings: _warnings, secret: _secret, standard_secret: _standard, ...shown } = made
    assert.deepEqual(await must(server.call('GET', `/webhooks/${made.id}`)), shown)
    const other = await register('https://8.8.8.8/hook')
    assert.deepEqual(other.warnings, [])
    const moved = await must(server.call('PUT', `/webhooks/${other.id}`, { url }))
    assert.deepEqual(moved.warnings, made.warnings)
    const renamed = await must(
      server.call('PUT', `/webhooks/${other.id}`, { description: 'no look-up' }),
    )
    assert.deepEqual(renamed.warnings, [])
    assert.deepEqual(
      (await must(server.call('POST', `/webhooks/${other.id}/roll-secret`))).warnings,
      [],
    )
  })
})
