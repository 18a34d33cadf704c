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

const root = fileURLToPath(new URL('../../..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'bursar-migrations-'))
after(() => rmSync(copy, { recursive: true }))

describe('the migrations that a server brings', () => {
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
