/**
 * Which tests a change can reach, by what files import.
 */
import { execFileSync } from 'node:child_process'
import { reachOf } from './imports.ts'

/**
 * Lists the files that differ from a revision, those that git does not know yet included. Paths are
 * from the project's root.
 */
export function changedSince(revision: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...git('diff', '--name-only', revision),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** What Markdown can break: the tests that hold documents against the code. */
const ofDocuments = /^test\/integration\/project\/|\/docs\.test\.ts$/

/**
 * Chooses the tests that changed files can reach. By imports for TypeScript; Markdown reaches the
 * tests of documents; anything else, such as a migration, may reach every test.
 */
export function reachedBy(changed: string[], tests: string[]): string[] {
  const others = changed.filter((file) => !/\.(ts|md)$/.test(file))
  if (others.length > 0) return tests
  const sources = changed.filter((file) => file.endsWith('.ts'))
  const hasDocuments = changed.some((file) => file.endsWith('.md'))
  return tests.filter((test) => {
    if (hasDocuments && ofDocuments.test(test)) return true
    const reach = reachOf(test)
    return sources.some((file) => reach.has(file))
  })
}
