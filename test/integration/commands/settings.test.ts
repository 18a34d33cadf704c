/**
 * Goal: a server whose settings come from an env file listens where it says, and gives links that
 * lead to it. Method: the texts that such files leave in variables, over HTTP; and what the doctor
 * says of their names.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { it } from 'node:test'
import { assertFound, examineWith } from '../../support/findings.ts'
import { must, startServer } from '../../support/harness.ts'

it('trims a line break from the address of links, and listens on this machine alone without HOST', async () => {
  const server = await startServer({ HOST: '', BASE_URL: ' https://pay.example/\r' })
  try {
    const order = { reference: 'order-1', amount: 500_000, currency: 'ngn' }
    const { checkout_url: url } = await must(server.call('POST', '/payments', order))
    assert.match(url, /^https:\/\/pay\.example\/pay\/[\w-]+$/)
    const { port } = new URL(server.url)
    const others = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
    for (const { address } of others.filter(
      ({ internal, family }) => !internal && family === 'IPv4',
    ))
      await assert.rejects(
        new Promise((resolve, reject) => {
          const socket = connect({ host: address, port: Number(port) })
          socket.once('connect', () => resolve(socket.destroy()))
          socket.once('error', reject)
        }),
        /ECONNREFUSED/,
      )
  } finally {
    await server.stop()
  }
})

it('has the doctor name a variable that only looks like a setting', async () => {
  const findings = await examineWith({ RATE_LIMITMAX: '5', BURSAR_FAST: 'yes' })
  assertFound(
    findings,
    'settings',
    /^warn RATE_LIMITMAX is no setting: write RATE_LIMIT_MAX\nwarn BURSAR_FAST is no setting and has no effect$/,
  )
  assertFound(await examineWith({}), 'settings', /^ok /)
})
