/**
 * Runs the conformance list of `sdk/conformance` through the SDK of each language, as it is packed
 * and installed, against a real server. A language or a runtime whose tools are missing is skipped
 * with a line. Words on the command line choose: `npm run test:sdks -- typescript` by language, `--
 * "node 24"` by runtime, `-- --only "a payout"` by case, `-- --only install` the printed lines.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startShared } from '../sdk/conformance/bench.ts'
import type { Driver } from '../sdk/conformance/driver.ts'
import { checkInstalls } from '../sdk/conformance/install.ts'
import { preparePhp } from '../sdk/conformance/php.ts'
import { preparePython } from '../sdk/conformance/python.ts'
import { type Result, runList, tableOf } from '../sdk/conformance/run.ts'
import { type Prepared, prepareTypescript } from '../sdk/conformance/typescript.ts'

/** Each is given an empty folder, and throws when its SDK cannot be packed or installed. */
const languages = {
  TypeScript: prepareTypescript,
  Python: preparePython,
  PHP: preparePhp,
} satisfies Record<string, (dir: string) => Promise<Prepared>>
type Language = keyof typeof languages

const args = process.argv.slice(2)
const at = args.indexOf('--only')
const only = at < 0 ? '' : (args.splice(at, 2)[1] ?? '')
const words = args.map((word) => word.toLowerCase())
const asks = (name: string): boolean =>
  words.length === 0 || words.some((word) => name.toLowerCase().includes(word))

const dir = mkdtempSync(join(tmpdir(), 'bursar-sdks-'))
const failed: string[] = []
const passed: string[] = []
const lacking: string[] = []
const drivers: Driver[] = []
const installable: Language[] = []
// At once, since they wait for downloads; each ends well or is recorded as failed.
await Promise.all(
  Object.entries(languages).map(([language, prepare]) => prepareOne(language as Language, prepare)),
)

const shared = await startShared()
const results: Result[] = []
const waiting = [...drivers]
if (only === '' || only === 'install') await Promise.all(installable.map(installOne))
// Two at a time: a driver waits for its server, and a server for its driver.
await Promise.all([1, 2].map(runNext))
await shared.stop()
rmSync(dir, { recursive: true, force: true })

const inOrder = drivers.flatMap(({ name }) => results.filter(({ driver }) => driver === name))
if (results.length > 0) console.log(`\n${tableOf(inOrder)}\n`)
const count = (as: Result['as']): number => results.filter((one) => one.as === as).length
const [good, bad] = [count('passed') + passed.length, count('failed') + failed.length]
console.log(`${good} passed, ${bad} failed, ${lacking.length} skipped`)
process.exit(bad > 0 || good === 0 ? 1 : 0)

async function runNext(): Promise<void> {
  for (let driver = waiting.shift(); driver; driver = waiting.shift())
    try {
      results.push(...(await runList(shared, driver, only)))
    } catch (error) {
      failed.push(driver.name)
      console.log(`failed ${driver.name}: ${(error as Error).stack}`)
    }
}

/** One line after the other of a language, and languages at once: they wait for downloads. */
async function installOne(language: Language): Promise<void> {
  const own = join(dir, `${language.toLowerCase()}-installed`)
  mkdirSync(own)
  try {
    const line = await checkInstalls(language, own, shared.server)
    passed.push(line)
    console.log(`passed ${line}`)
  } catch (error) {
    failed.push(language)
    console.log(`failed ${language}: ${(error as Error).message}`)
  }
}

async function prepareOne(
  language: Language,
  prepare: (dir: string) => Promise<Prepared>,
): Promise<void> {
  // A word may name a runtime.
  const isRuntime = (word: string): boolean =>
    !Object.keys(languages).some((one) => one.toLowerCase() === word)
  if (!asks(language) && !words.some(isRuntime)) return
  const began = performance.now()
  const own = join(dir, language.toLowerCase())
  mkdirSync(own)
  try {
    const prepared = await prepare(own)
    passed.push(...prepared.passed)
    lacking.push(...prepared.lacking)
    drivers.push(...prepared.drivers.filter(({ name }) => asks(name)))
    if (prepared.drivers.length > 0 && asks(language)) installable.push(language)
    for (const line of prepared.passed) console.log(`passed ${line}`)
    for (const line of prepared.lacking) console.log(`skipped ${line}`)
  } catch (error) {
    failed.push(language)
    console.log(`failed ${language}: ${(error as Error).message}`)
  }
  console.log(`${language} was prepared in ${Math.round((performance.now() - began) / 1_000)} s.`)
}
