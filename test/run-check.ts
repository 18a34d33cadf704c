/**
 * Runs what every change must pass, once the packages are installed: the tests, beside them the
 * cheap checks, and then the tests of the whole system. `--tested`: the tests have passed already.
 */
import { readFileSync } from 'node:fs'
import { type Counts, type Part, runParts, sentenceOf } from './support/parts.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))

/** What `npm run` runs by this name, without npm. */
function scriptOf(name: string, more: string[] = []): Part {
  const [program, ...args] = scripts[name].split(' ')
  return {
    name,
    args: [...args, ...more],
    ...(program === 'node' ? {} : { program: `node_modules/.bin/${program}` }),
  }
}

/** The first that fails ends the other. */
const first: Part[] = [
  ...(process.argv.includes('--tested') ? [] : [{ ...scriptOf('test'), isShown: true }]),
  scriptOf('lint:code'),
  scriptOf('lint:prose'),
  scriptOf('types'),
  scriptOf('audit'),
  scriptOf('docs', ['--check']),
  scriptOf('sdk', ['--check']),
]
const system: Part = { ...scriptOf('test:system'), isShown: true }

const counts = await runParts(first, { atOnce: 2, endsAtFailure: true })
if (counts.failed === 0) {
  const ofSystem = await runParts([system], { atOnce: 1 })
  for (const key of Object.keys(counts) as (keyof Counts)[]) counts[key] += ofSystem[key]
}
console.log(`All: ${sentenceOf(counts)}`)
process.exit(counts.failed > 0 ? 1 : 0)
