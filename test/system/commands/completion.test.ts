/**
 * Goal: shells complete every command there is; and what needs no server starts without one.
 * Method: the scripts in the shells themselves, where those are installed.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { before, describe, it } from 'node:test'
import { Command } from 'commander'
import { completionOf, shells } from '../../../src/app/cli/completion.ts'
import { addIntegratorCommands } from '../../../src/app/cli/integrators.ts'
import { addOperatingCommands } from '../../../src/app/cli/operating.ts'
import { outlineOf } from '../../../src/app/cli/outline.ts'
import { events as catalogue } from '../../../src/app/modules.ts'
import { version } from '../../../src/lib/version.ts'
import { command } from '../../support/commands.ts'
import { run } from '../../support/python.ts'

describe('the completions of shells', () => {
  const program = new Command('bursar').version(version)
  const scripts: Record<string, string> = {}
  before(() => {
    addOperatingCommands(program, {})
    addIntegratorCommands(program, {}, () => program)
    for (const shell of shells) scripts[shell] = `${completionOf(program, shell)}\n`
  })

  it('are made of an outline that is what the commands are', async () => {
    const operating = new Command('bursar')
    addOperatingCommands(operating, {})
    const outline = JSON.parse(readFileSync('src/app/cli/outline.json', 'utf8'))
    assert.deepEqual(outline, outlineOf(operating), '`npm run docs` makes it')
    assert.equal((await command(['completion', 'bash'], {})).out, scripts.bash)
  })

  const words = (command: Command): string[] =>
    command.commands.flatMap((one) => [
      one.name(),
      ...one.options.map(({ long }) => long as string),
      ...words(one),
    ])

  it('know each command and each option, in every shell', () => {
    const all = words(program)
    assert.ok(all.length > 100)
    for (const shell of shells)
      for (const word of all) {
        const written = shell === 'fish' ? word.replace(/^--/, '-l ') : word
        assert.ok(scripts[shell]?.includes(written), `${shell}: ${word}`)
      }
  })

  /** What bash completes a line with. The last word is the one that is being typed. */
  async function completed(line: string): Promise<string[]> {
    const typed = line.split(' ')
    const ask = `
      COMP_WORDS=(${typed.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${typed.length - 1}
      _bursar
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { code, out, err } = await run('bash', ['--norc', '-c', scripts.bash + ask])
    assert.deepEqual([code, err], [0, ''])
    return out.trim().split('\n')
  }

  it('complete in bash', async (t) => {
    const { code, err } = await run('bash', ['--norc', '-n'], scripts.bash)
    if (code === null) return t.skip('bash is missing')
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(await completed('bursar li'), ['listen'])
    assert.deepEqual(await completed('bursar keys r'), ['revoke', 'roll'])
    assert.deepEqual(await completed('bursar keys create --l'), ['--live'])
    assert.deepEqual(await completed('bursar keys create --live --s'), ['--scopes'])
    const afterTrigger = (await completed('bursar trigger ')).filter(
      (word) => !word.startsWith('-'),
    )
    assert.deepEqual(afterTrigger.sort(), Object.keys(catalogue).sort())
    assert.deepEqual(await completed('bursar trigger payment.comp'), ['payment.completed'])
    assert.deepEqual(await completed('bursar events list --type payout.ret'), ['payout.returned'])
    assert.deepEqual(await completed('bursar completion '), [...shells, '--help'])
    const first = await completed('bursar ')
    for (const one of program.commands) assert.ok(first.includes(one.name()), one.name())
  })

  for (const shell of ['zsh', 'fish'] as const)
    it(`are read by ${shell}`, async (t) => {
      const file = join(mkdtempSync(join(tmpdir(), 'bursar-completion-')), `bursar.${shell}`)
      writeFileSync(file, scripts[shell] as string)
      const { code, err } = await run(shell, ['-n', file])
      rmSync(dirname(file), { recursive: true })
      if (code === null) return t.skip(`${shell} is missing`)
      assert.deepEqual([code, err], [0, ''])
    })

  it('start, as all that needs no server, without the server', async () => {
    const hook = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      process.on('exit', () => process.stderr.write(JSON.stringify(loaded)))`
    const preload = `data:text/javascript,${encodeURIComponent(hook)}`
    // All of them are loaded for each.
    const { code, err } = await run(process.execPath, [
      '--import',
      preload,
      'src/app/cli/cli.ts',
      '--help',
    ])
    assert.equal(code, 0, err)
    const loaded = (JSON.parse(err) as string[]).map((url) =>
      url.replace(/.*\/(src|node_modules)\//, '$1/'),
    )
    assert.ok(loaded.includes('src/app/cli/listen.ts'), err)
    const modules = loaded.filter((file) =>
      /^src\/(?!app\/cli\/|lib\/|platform\/webhooks\/signing|books\/proofs\/(checking|forms))/.test(
        file,
      ),
    )
    const packages = loaded.filter((file) => /^node_modules\/(?!commander\/)/.test(file))
    assert.deepEqual([modules, packages], [[], []])
  })
})
