/**
 * Goal: a list file is read as it is meant, in both forms, or refused by its entry; a newer one is
 * used, and one that is broken is not. Method: files that are written and asked.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { until } from '../../../test/support/harness.ts'
import { openScreenFile, readLists } from './screen-file.ts'

const log = { info() {}, warn() {}, error() {} } as never
const at = new Date('2026-11-01T00:00:00Z')

describe('lists in a file', () => {
  const dir = mkdtempSync(join(tmpdir(), 'bursar-screen-'))
  after(() => rmSync(dir, { recursive: true }))

  it('finds addresses in any case, accounts with and without their bank, and names in any order', async () => {
    const file = join(dir, 'list.json')
    const entries = [
      {
        type: 'address',
        value: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        list: 'OFAC',
        reason: 'SDN 1',
      },
      { type: 'account', value: '0123456789' },
      { type: 'account', value: '0000000077', bank_code: '058' },
      { type: 'name', value: 'Okafor, Ádá' },
    ]
    writeFileSync(file, JSON.stringify({ updated_at: '2026-11-20T00:00:00Z', entries }))
    const screen = openScreenFile(file, log)
    assert.deepEqual(
      await screen.ask({ address: '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED', names: [] }),
      [
        {
          list: 'OFAC',
          matched: 'address',
          value: '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED',
          reason: 'SDN 1',
        },
      ],
    )
    const found = async (accountNumber: string, bankCode: string | undefined, ...names: string[]) =>
      (await screen.ask({ accountNumber, bankCode, names })).map(
        ({ list, matched }) => `${list} ${matched}`,
      )
    assert.deepEqual(await found('0123456789', '044'), ['sanctions account'])
    assert.deepEqual(await found('0000000077', '058'), ['sanctions account'])
    assert.deepEqual(await found('0000000077', '044'), [])
    assert.deepEqual(await found('0000000077', undefined), [])
    assert.deepEqual(await found('1', '044', 'ADA  OKAFOR'), ['sanctions name'])
    assert.deepEqual(await found('1', '044', 'ADA OKAFOR BELLO', 'ADA', ''), [])
    assert.deepEqual(screen.state?.().updatedAt, new Date('2026-11-20T00:00:00Z'))
  })

  it('finds names with and without apostrophes', async () => {
    const file = join(dir, 'names.csv')
    writeFileSync(file, 'type,value\nname,SEAN OBRIEN\nname,Đorđe O\u2019Hara\n')
    const screen = openScreenFile(file, log)
    for (const name of ["Sean O'Brien", 'O`Brien Sean', 'DORDE OHARA'])
      assert.equal((await screen.ask({ names: [name] })).length, 1, name)
    assert.deepEqual(await screen.ask({ names: ['Sean Brien'] }), [])
  })

  it('reads the same as CSV', () => {
    const { entries, count, updatedAt } = readLists(
      'type,value,list,reason\r\nname,"Okafor, Ada",UN,"a, b"\r\naddress,0xAB,,\r\n',
      at,
    )
    assert.deepEqual(
      [...entries],
      [
        ['name:ada okafor', [{ list: 'UN', reason: 'a, b' }]],
        ['address:0xab', [{ list: 'sanctions', reason: null }]],
      ],
    )
    assert.deepEqual([count, updatedAt], [2, at])
  })

  it('refuses what it cannot read, by the entry, and shows nothing of it', () => {
    const refused = (text: string, said: RegExp) => assert.throws(() => readLists(text, at), said)
    refused('{"entries": [secret', /^Error: is not JSON$/)
    refused('{}', /entries must be a list/)
    refused(
      '{"entries": [{"type":"name","value":"x"},{"type":"passport","value":"x"}]}',
      /entry 2: type must be one of/,
    )
    refused('{"entries": [{"type":"name"}]}', /entry 1: value is missing/)
    refused('{"entries": [{"type":"name","value":" - "}]}', /entry 1: value has no letter/)
    refused('{"updated_at": "soon", "entries": []}', /updated_at is not a time/)
    refused('name,value\nx,y\n', /^Error: line 1 must name the columns type and value/)
    refused(
      'type,value\nname,Ada\nname,"Obi\nname,Eze\n',
      /Line 3, column value: the quote that opens here/,
    )
    refused('type,value\nname,Okafor, Ada\n', /Line 2, column 3: the line has 3 cells/)
    refused('type,value,value\nname,Ada,Obi\n', /line 1 must name the columns/)
    assert.throws(
      () => openScreenFile(join(dir, 'none.json'), log),
      /SCREENING_FILE '.*none.json': ENOENT/,
    )
  })

  it('uses a newer file, and keeps the last good one when that is broken', async () => {
    const file = join(dir, 'fresh.csv')
    const write = (text: string, second: number): void => {
      writeFileSync(file, text)
      utimesSync(file, second, second)
    }
    write('type,value\naccount,1\n', 1_000)
    const screen = openScreenFile(file, log)
    const has = async (accountNumber: string) =>
      (await screen.ask({ accountNumber, names: [] })).length === 1
    assert.ok(await has('1'))
    write('type,value\naccount,2\n', 2_000)
    await until(() => has('2'))
    assert.ok(!(await has('1')))
    write('type\naccount\n', 3_000)
    await until(async () => !(await has('1')) && screen.state?.().fault !== null)
    assert.ok(await has('2'), 'the last good one stays')
    write('type,value\naccount,3\n', 4_000)
    await until(() => has('3'))
    assert.equal(screen.state?.().fault, null)
  })
})
