/**
 * Goal: a server keeps its schema version for its lifetime. Method: a copy of the module whose
 * folder gets another migration after the first read, as when a package is replaced under a running
 * server.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { numberOf, readMigrations } from './migrations.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'bursar-migrations-'))
after(() => rmSync(copy, { recursive: true }))

describe('the migrations that a server brings', () => {
  it('neither build indexes nor check rows while they lock a table against reads', () => {
    const later = readMigrations().filter(({ name }) => numberOf(name) >= 16)
    for (const { name, text } of later) {
      const statements = text.replaceAll(/--.*$/gm, '').split(';')
      const made = new Set(statements.flatMap((one) => /create table (\w+)/.exec(one)?.[1] ?? []))
      const changes = statements.filter((one) => {
        const table = /alter table (\w+)/.exec(one)?.[1]
        return table && !made.has(table) && !/ validate constraint /.test(one)
      })
      const locked = changes.map((one) => /alter table (\w+)/.exec(one)?.[1])
      for (const one of statements) {
        const table = /create (?:unique )?index \w+ on (\w+)/.exec(one)?.[1]
        assert.ok(!locked.includes(table), `${name} builds an index on ${table}, which it locks`)
      }
      for (const one of changes)
        assert.equal(
          one.match(/\bcheck \(/g)?.length ?? 0,
          one.match(/\bnot valid\b/g)?.length ?? 0,
          `${name} checks all rows under a lock: ${one}`,
        )
    }
  })

  it('keep servers that drop discounts from starting on the schema that has them', () => {
    const found = readMigrations().find(({ name }) => name === '0016-retries-and-lines.sql')
    assert.equal(found?.understoodFrom, 16)
  })

  it('are those of when it started', async () => {
    for (const part of [
      'package.json',
      'src/db/schema/migrations',
      'src/db/schema/migrations.ts',
      'src/lib/secrets.ts',
    ])
      cpSync(join(root, part), join(copy, part), { recursive: true })
    const module = await import(pathToFileURL(join(copy, 'src/db/schema/migrations.ts')).href)
    const before: string[] = module.knownMigrations()
    assert.ok(before.length > 0)
    writeFileSync(join(copy, 'src/db/schema/migrations/9000-more.sql'), 'select 1;\n')
    assert.deepEqual(module.knownMigrations(), before)
    assert.ok(module.ownNumber() < 9_000)
  })
})
