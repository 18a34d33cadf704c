/**
 * Goal: `bursar export` prints what the API answers, with the accounts of a file, and says what is
 * wrong. Method: the command in this process, against a real server.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { Command } from 'commander'
import { addExportCommand } from '../../../src/app/cli/export.ts'
import { newMerchant } from '../../support/actors.ts'
import { shareServer, type TestServer } from '../../support/harness.ts'

describe('bursar export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bursar-export-'))
  let server: TestServer
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 123_456)
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await server.stop()
  })

  async function exported(file: string, ...args: string[]): Promise<string> {
    const program = new Command('bursar').configureOutput({ writeErr: () => {} })
    const env = {
      XDG_CONFIG_HOME: '/nowhere',
      BURSAR_URL: server.url,
      BURSAR_KEY: server.testKey,
    }
    let text = ''
    const out = new Writable({
      write(chunk, _encoding, done) {
        text += chunk
        done()
      },
    })
    addExportCommand(program, env, out)
    await program.parseAsync(['export', file, ...args], { from: 'user' })
    return text
  }
  const accountsOf = (text: string): string => {
    const file = join(folder, 'accounts.txt')
    writeFileSync(file, text)
    return file
  }

  it('prints a journal, with the accounts of a file', async () => {
    const file = accountsOf('# ours\navailable=Assets:Bank\r\n\ntest_funds=Equity:Play\n')
    const text = await exported('journal', '--format', 'hledger', '--accounts', file)
    assert.match(text, /Assets:Bank {2}1234\.56 NGN\n {4}Equity:Play {2}-1234\.56 NGN/)
  })

  it('says what is wrong, and prints nothing', async () => {
    for (const [args, says] of [
      [['--format', 'excel'], /refused: .*format/],
      [['--format', 'ledger', '--from', 'soon'], /refused: .*from/],
      [['--format', 'ledger', '--accounts', accountsOf('cash=Assets:A')], /no role 'cash'/],
      [['--format', 'ledger', '--accounts', join(folder, 'none')], /cannot be read/],
    ] as const)
      await assert.rejects(exported('journal', ...args), says)
  })

  it('prints a bank statement, or says why there is none', async () => {
    const wallet = ['--currency', 'ngn', '--format', 'mt940']
    const today = new Date(server.app.clock.now()).toISOString().slice(0, 10)
    await assert.rejects(exported('statement', ...wallet, '--to', today), /refused: .* over/)
    await newMerchant(server).advance('2d')
    const text = await exported('statement', ...wallet, '--to', today)
    assert.match(text, /^:20:NGN.*:61:\d{10}C1234,56NMSCNONREF.*:62F:C\d{6}NGN1234,56\r\n-\r\n$/s)
  })
})
