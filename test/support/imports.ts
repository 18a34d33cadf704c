/**
 * Which files of this project a file imports, by their text.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const known = new Map<string, string[]>()

/** Lists the project's files that a file imports itself. Paths are from the project's root. */
export function importsOf(file: string): string[] {
  const before = known.get(file)
  if (before) return before
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const found = [...text.matchAll(/(?:from|import|import\()\s*['"](\.\.?\/[^'"]+)['"]/g)]
    .map((match) => normalize(join(dirname(file), match[1] as string)))
    .filter((path) => existsSync(path))
  const imports = [...new Set(found)]
  known.set(file, imports)
  return imports
}

/** Has files read again: they have changed. */
export function forgetImports(): void {
  known.clear()
}

/** Lists every file that a file reaches by imports, itself included. */
export function reachOf(file: string): Set<string> {
  const reached = new Set([file])
  for (const one of reached) for (const next of importsOf(one)) reached.add(next)
  return reached
}
