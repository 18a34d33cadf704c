/**
 * Goal: a name that an argument gives follows the rules that the API has for names. Method: each
 * command with texts that the API refuses, and the rows before and after.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { runCommand } from '../../support/command-line.ts'
import { startServer, type TestServer } from '../../support/harness.ts'

const id = '0'.repeat(24)

describe('a name that is given to a command', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const named: [option: string, ...command: string[]][] = [
    ['--name', 'business', 'create'],
    ['--name', 'keys', 'create'],
    ['--name', 'operator', 'key', 'create'],
    ['--by', 'screening', 'block', 'name', 'Ada Okafor'],
    ['--by', 'screening', 'remove', id],
    ['--by', 'documents', 'review', id, '--approve'],
    ['--by', 'documents', 'show', id, '--number'],
    ['--by', 'rails', 'incidents', '--close', id],
    ['--by', 'outgoing', 'release'],
    ['--by', 'outgoing', 'cancel', id],
    ['--by', 'outgoing', 'fail', id, '--reason', 'not there'],
    ['--by', 'rails', 'assign', 'shop', 'p-1', '--business', id],
    ['--by', 'rails', 'return', 'shop', 'p-1'],
  ]
  const bad: [text: string, says: RegExp][] = [
    ['Ada\u001b[2J', /must not contain control characters/],
    ['Ada\u2028Okafor', /must not contain control characters/],
    ['Ada\nOkafor', /must be one line/],
    ['Ada\tOkafor', /must be one line/],
    ['Ada\u202eOkafor', /must be one line/],
    ['Ada\uFFFD', /must be UTF-8 text/],
    [' ', /must have 1 to \d+ characters/],
    ['x'.repeat(201), /must have 1 to \d+ characters/],
  ]
  const counted = () =>
    server.asOwner(
      'select (select count(*) from businesses), (select count(*) from api_keys), (select count(*) from operator_keys), (select count(*) from screening_entries)',
    )

  for (const [option, ...command] of named)
    it(`is one line: ${command.filter((part) => part !== id).join(' ')}`, async () => {
      const before = await counted()
      for (const [text, says] of bad) {
        const { code, err } = await runCommand(server.app, [...command, option, text])
        assert.equal(code, 1, JSON.stringify(text))
        assert.match(err, says)
        assert.ok(err.startsWith(`bursar: ${option} must`), err)
      }
      assert.deepEqual(await counted(), before)
    })

  it('may be of a list, whose entries are one line too, and notes may have several', async () => {
    const block = (value: string, ...more: string[]) =>
      runCommand(server.app, ['screening', 'block', 'name', value, '--by', 'Ada', ...more])
    assert.match((await block('Ada\nOkafor')).err, /The value must be one line/)
    assert.match(
      (await block('Ada Okafor', '--note', 'a\u0007b')).err,
      /--note must not contain control characters/,
    )
    const allow = [
      'screening',
      'allow',
      'name',
      'Ada Okafor',
      '--by',
      'Ada',
      '--list',
      'UN\u001b[31m',
    ]
    assert.match(
      (await runCommand(server.app, allow)).err,
      /--list must not contain control characters/,
    )
    assert.equal((await block('Ada Okafor', '--note', 'seen\nby two')).code, 0)
  })

  it('is taken with letters of any script, and with an isolated direction', async () => {
    const made = await runCommand(server.app, [
      'keys',
      'create',
      '--name',
      ' \u2067עדה\u2069 & Ọlá ',
      '--json',
    ])
    assert.equal(made.code, 0, made.err)
    assert.equal(JSON.parse(made.out).name, '\u2067עדה\u2069 & Ọlá')
  })
})
