/**
 * Goal: a database of PostgreSQL 17, with weeks of business in it, comes to the version of this
 * Bursar. Method: as the short test goes it, with the binaries of 17 and all that `bursar
 * demo-data` makes.
 */
import assert from 'node:assert/strict'
import { describeCarrying } from '../support/carried.ts'
import { command } from '../support/commands.ts'
import { folderOf } from './binaries.ts'

describeCarrying('a database of PostgreSQL 17 that is carried over', {
  folder: folderOf(17),
  async business(_key, _served, env) {
    const { code, err } = await command(['demo-data'], env)
    assert.equal(code, 0, err)
  },
})
