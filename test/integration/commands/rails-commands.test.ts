/**
 * Goal: an operator sees what providers notified of and what needs a person, and ends it. Method:
 * the commands on the application of a server with an account that signs.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openIncident } from '../../../src/platform/incidents/incidents.ts'
import { runCommand } from '../../support/command-line.ts'
import { startServer, type TestServer, until } from '../../support/harness.ts'
import { giveInbound, keptIn, notifierOf, outcomeOf, signedBy } from '../../support/notifier.ts'

const token = 'scrape-me-if-you-can-with-this-token'

describe('bursar rails', () => {
  let server: TestServer
  before(async () => {
    server = await startServer({ METRICS_TOKEN: token })
    giveInbound(server.app, 'live', { shop: signedBy('now') })
    const notify = notifierOf(server.url, 'shop', 'live')
    await notify('<html>\u001b[31mred</html>')
    await notify({ event: 'ping', id: '0', kind: 'other' })
    await notify({ event: 'said', id: '1', kind: 'other' })
    await notify({ event: 'said', id: '1', kind: 'other' })
    await outcomeOf(server, 'said')
    await notify({ event: 'transfer.success', id: '2', kind: 'payout', reference: 'po-1' })
    await until(async () => (await keptIn(server.app)).at(-1)?.tries === 1)
    // Whatever is looked for meanwhile, it is not tried again.
    await server.app.db.query(
      "update timers set due_at = now() + interval '1 day' where task = 'inbound.apply'",
    )
  })
  after(() => server.stop())

  const run = async (...args: string[]) => {
    const { code, out, err } = await runCommand(server.app, ['rails', ...args])
    return { code, lines: out.split('\n').slice(0, -1), err }
  }
  const id = /[0-9a-f]{24}/g
  const time = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
  const without = (lines: string[]) =>
    lines.map((line) => line.replaceAll(id, 'ID').replaceAll(time, 'TIME'))
  const warnings = async (): Promise<string[]> =>
    (await server.call('GET', '/health')).data.warnings
  const metrics = async (): Promise<string> => (await server.callAs(token)('GET', '/metrics')).body

  it('events: shows what an account notified of, and what became of it', async () => {
    const { code, lines } = await run('events', 'shop')
    assert.deepEqual(
      [code, without(lines)],
      [
        0,
        [
          'ID  live  TIME  transfer.success  payout po-1  waits, tried 1 time',
          'ID  live  TIME  said  other  nothing_to_do, delivered 2 times',
          'ID  live  TIME  unreadable  other  quarantined',
        ],
      ],
    )
    assert.deepEqual((await run('events', 'nobody')).lines, ['nobody has notified of nothing.'])
    assert.equal(
      JSON.parse((await run('events', 'shop', '--json', '--limit', '2')).lines.join('')).length,
      2,
    )
  })

  it('events --show: prints the body as it came, without what a terminal would obey', async () => {
    const [unreadable, said] = await keptIn(server.app)
    assert.deepEqual((await run('events', 'shop', '--show', unreadable?.id as string)).lines, [
      '<html>\u{fffd}[31mred</html>',
    ])
    assert.deepEqual((await run('events', 'shop', '--show', said?.id as string)).lines, [
      'The event is nothing_to_do; its body is not kept.',
    ])
    const { code, err } = await run('events', 'other', '--show', said?.id as string)
    assert.deepEqual([code, err], [1, `bursar: other has no event '${said?.id}'.\n`])
  })

  it('events --replay: has what waits applied anew', async () => {
    assert.deepEqual((await run('events', 'shop', '--replay')).lines, [
      '1 event is applied anew, by the servers that run.',
    ])
    const [unreadable, said] = await keptIn(server.app)
    assert.equal((await run('events', 'shop', '--replay', '--id', said?.id as string)).code, 0)
    // What no version reads cannot be applied.
    assert.equal(
      (await run('events', 'shop', '--replay', '--id', unreadable?.id as string)).code,
      1,
    )
    assert.equal(await outcomeOf(server, 'said'), 'nothing_to_do')
  })

  it('incidents: shows what a person does, until the person closes it', async () => {
    const [unreadable] = await keptIn(server.app)
    await openIncident(server.app.db, {
      livemode: true,
      rail: 'shop',
      kind: 'stuck',
      subject: 'po-1',
      detail: { reference: 'po-1' },
      at: server.app.clock.now(),
    })
    assert.deepEqual(await warnings(), [
      '2 incidents are open: `bursar rails incidents` shows what to do',
    ])
    assert.match(
      await metrics(),
      /^bursar_rail_incidents_open\{rail="shop",mode="live",kind="unreadable_event"\} 1$/m,
    )
    assert.match(await metrics(), /^bursar_rail_events_unapplied\{rail="shop",mode="live"\} 1$/m)
    const { lines } = await run('incidents')
    assert.deepEqual(without(lines), [
      'ID  live  shop  stuck  po-1',
      '  found    TIME',
      '  about    reference po-1',
      '  do       A provider has given no answer about something for three days. It is asked about daily.',
      'ID  live  shop  unreadable_event  ID',
      '  found    TIME',
      '  about    bytes 21',
      '  do       A signed webhook is none that this version reads. `bursar rails events NAME --show ID` prints it.',
    ])
    const all = JSON.parse((await run('incidents', '--json')).lines.join(''))
    assert.equal(all[1].subject, unreadable?.id)
    for (const [args, said] of [
      [['--close', all[0].id], '--close <id> and --by <name> go together: who has looked is kept.'],
      [
        ['--close', 'f'.repeat(24), '--by', 'Ada'],
        `There is no open incident '${'f'.repeat(24)}'.`,
      ],
    ] as const) {
      const { code, err } = await run('incidents', ...args)
      assert.deepEqual([code, err], [1, `bursar: ${said}\n`])
    }
    for (const incident of all)
      assert.deepEqual((await run('incidents', '--close', incident.id, '--by', 'Ada')).lines, [
        `${incident.id} is closed, by Ada.`,
      ])
    assert.deepEqual((await run('incidents')).lines, ['No incident is open.'])
    assert.match((await run('incidents', '--all')).lines.join(), /closed {3}\S+, by Ada/)
    const entries = await server.app.db.query(
      `select subject, after ->> 'by' as by from audit_log where action = 'incident.closed' order by subject desc`,
    )
    assert.deepEqual(
      entries,
      all.map(({ id }: { id: string }) => ({ subject: id, by: 'Ada' })),
    )
    // One that is closed keeps its name.
    const again = await run('incidents', '--close', all[0].id, '--by', 'Bola')
    assert.equal(again.err, `bursar: There is no open incident '${all[0].id}'.\n`)
    assert.deepEqual(await warnings(), [])
  })

  it('is not needed for what only waits a while; what waits long is a warning', async () => {
    await server.app.db.query(
      "update provider_events set received_at = now() - interval '11 minutes' where outcome is null",
    )
    const [warning] = await warnings()
    assert.match(
      warning as string,
      /^webhooks of shop \(live\) are not applied since \S+Z: `bursar rails events shop` shows them$/,
    )
  })
})
