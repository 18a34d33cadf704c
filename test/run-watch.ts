/**
 * Runs the tests of each file that is saved, on a PostgreSQL that stays: those beside it in its
 * folder that import it, or the test itself.
 */
import { globSync, watch } from 'node:fs'
import { dirname, relative } from 'node:path'
import { forgetImports, importsOf } from './support/imports.ts'
import { prepareGround, runFiles } from './support/runner.ts'

/** Editors write a file in several steps. */
const settleMs = 60

const ground = await prepareGround()
const saved = new Set<string>()
let timer: NodeJS.Timeout | undefined
let isRunning = false

/**
 * The tests to run for a file: itself, or those of its folder that import it, or all of its folder
 * where none does.
 */
function testsOf(file: string): string[] {
  if (file.endsWith('.test.ts')) return [file]
  const beside = globSync(`${dirname(file)}/*.test.ts`)
  const importing = beside.filter((test) => importsOf(test).includes(file))
  return importing.length > 0 ? importing : beside
}

async function runSaved(): Promise<void> {
  if (isRunning) return
  isRunning = true
  while (saved.size > 0) {
    const files = [...saved]
    saved.clear()
    forgetImports()
    const tests = [...new Set(files.flatMap(testsOf))].sort()
    console.log(
      `\n${files.join(', ')}: ${tests.length === 0 ? 'no test in its folder' : tests.join(', ')}`,
    )
    if (tests.length > 0) await runFiles(ground, tests, { concurrency: 2 })
  }
  isRunning = false
}

for (const folder of ['src', 'test'])
  watch(folder, { recursive: true }, (_event, name) => {
    if (!name?.endsWith('.ts')) return
    saved.add(relative('.', `${folder}/${name}`))
    clearTimeout(timer)
    timer = setTimeout(() => void runSaved(), settleMs)
  })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, async () => {
    await ground.stop()
    process.exit(0)
  })
console.log('Save a file under src/ or test/ to run its tests. Ctrl-C ends it.')
