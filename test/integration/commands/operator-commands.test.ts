import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { addOperationCommands, command } from '../../../src/app/cli/operations.ts'
import { nameCell } from '../../../src/lib/cells.ts'
import { runAddedCommand, runCommand } from '../../support/command-line.ts'
import { must, startServer, type TestServer } from '../../support/harness.ts'

describe('the operator’s commands', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('make a key that is shown once, list it and revoke it beside a server', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['operator', 'key', ...args])
    const made = await run('create', '--name', 'platform')
    assert.equal(made.code, 0, made.err)
    const [key = '', said = ''] = made.out.split('\n')
    const id = /^Key ([0-9a-f]{24}): for \/operator/.exec(said)?.[1] as string
    const call = server.callAs(key)
    const { docs } = await must(call('GET', '/operator/businesses'))
    assert.deepEqual(
      docs.map(({ name }: { name: string }) => name),
      ['Test Business'],
    )
    const listed = await run('list')
    assert.match(
      listed.out,
      new RegExp(`^${id}  op_….{4}  active   last used .* from 127\\.0\\.0\\.1  platform\\n$`),
    )
    assert.ok(!listed.out.includes(key))
    assert.match((await run('revoke', id)).out, /^Key op_….{4} is revoked\.\n$/)
    assert.equal((await call('GET', '/operator/businesses')).status, 401)
    const missing = await run('revoke', '0'.repeat(24))
    assert.deepEqual(
      [missing.code, missing.err],
      [1, `bursar: There is no key '${'0'.repeat(24)}' of the operator.\n`],
    )
  })

  it('create a business as an operator key does, with its entry of the audit log', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['business', 'create', ...args])
    const made = await run('--name', 'Second', '--json')
    assert.equal(made.code, 0, made.err)
    const { business, test_key, live_key } = JSON.parse(made.out)
    assert.equal((await must(server.callAs(test_key)('GET', '/business'))).name, 'Second')
    assert.match(live_key, /^sk_live_/)
    const entries = await server.app.db.query(
      `select distinct after from audit_log where action = 'business.created' and subject = $1`,
      [business.id],
    )
    assert.deepEqual(entries, [{ after: { name: 'Second' } }])
    nameCell('a', false)
    try {
      const { code, err } = await run('--name', 'Third')
      assert.equal(code, 1)
      assert.match(err, /takes no new businesses/)
    } finally {
      nameCell('a', true)
    }
  })

  it('show and limit the exchange positions', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['exchange', ...args])
    assert.equal((await run('status')).out, 'Nothing was exchanged, and nothing is limited.\n')
    await server.fund('ngn', 155_000_000)
    const swap = { amount: 155_000_000, currency: 'ngn', destination_currency: 'usd' }
    const { id: quote } = await must(server.call('POST', '/conversions/quote', swap))
    await must(server.call('POST', '/conversions', { quote }))
    assert.equal(
      (await run('limit', 'usd', '5000000')).out,
      [
        'live  usd  0.00 usd  may be short of 50,000.00 usd',
        'test  ngn  1,542,250.00 ngn  not limited',
        'test  usd  -994.99 usd  may be short of 50,000.00 usd\n',
      ].join('\n'),
    )
    const { positions } = JSON.parse((await run('status', '--json')).out)
    assert.deepEqual(positions[2], {
      mode: 'test',
      currency: 'usd',
      balance: -99_499,
      promised: 0,
      max_short: 5_000_000,
    })
    assert.match((await run('limit', 'eur', '1')).err, /The currency is one of/)
    assert.match((await run('limit', 'usd', '1.5')).err, /whole number of minor units/)
    assert.match(
      (await run('limit', 'usd', 'none')).out,
      /test {2}usd {2}-994\.99 usd {2}not limited\n$/,
    )
  })

  it('decide what is held and taken for a dispute', async () => {
    const run = (...args: string[]) => runCommand(server.app, ['disputes', ...args])
    assert.equal((await run('list')).out, 'No dispute is open.\n')
    const { id: payment } = await must(
      server.call('POST', '/payments', { amount: 500_000, currency: 'ngn' }),
    )
    await must(server.call('POST', `/payments/${payment}/simulate`, { outcome: 'completed' }))
    const { id } = await must(
      server.call('POST', `/payments/${payment}/simulate-dispute`, { amount: 450_000 }),
    )
    assert.match(
      (await run('list')).out,
      new RegExp(`^${id}  test  open  4,500\\.00 ngn  .*evidence due 20`),
    )
    assert.match(
      (await run('hold', id, '--amount', '400000')).out,
      /held 4,000\.00 ngn, taken 0\.00 ngn/,
    )
    const early = await run('take', id)
    assert.deepEqual(
      [early.code, early.err],
      [1, 'bursar: The dispute is open; money is taken only for a lost dispute.\n'],
    )
    await must(server.call('POST', `/disputes/${id}/simulate`, { outcome: 'lost' }))
    assert.match((await run('take', id)).out, /held 0\.00 ngn, taken 4,000\.00 ngn/)
    assert.equal(JSON.parse((await run('show', id)).out).taken, 400_000)
    assert.match((await run('list', '--all')).out, new RegExp(`^${id}  test  lost  `))
    const wrong = await run('take', id, '--amount', '1.5')
    assert.match(wrong.err, /--amount must be a whole number of minor units/)
  })

  it('refuse a value that their operation has no field for', async () => {
    const lost = command({
      description: 'list the keys',
      operation: 'listOperatorKeys',
      options: { '--colour <name>': 'no field' },
    })
    const computed = command({
      description: 'list the keys',
      operation: 'listOperatorKeys',
      options: { '--all': { text: 'read by `fields`', isField: false } },
      fields: ({ all }) => (all ? { colour: 'red' } : {}),
    })
    const run = (...args: string[]) =>
      runAddedCommand((program, print) => {
        const context = { withApp: (work: never) => (work as Work)(server.app), print }
        addOperationCommands(program, { lost, computed }, context)
      }, args)
    type Work = (app: TestServer['app']) => Promise<void>
    assert.equal((await run('lost')).code, 0)
    assert.match((await run('lost', '--colour', 'red')).err, /listOperatorKeys takes no colour/)
    assert.equal((await run('computed')).code, 0)
    assert.match((await run('computed', '--all')).err, /listOperatorKeys takes no colour/)
  })
})
