/**
 * Checks that take minutes, or tools that few machines have: they are run by hand, not for every
 * change. Names on the command line choose among them.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Check, endAll } from './long/check.ts'
import { clientsCheck } from './long/clients.ts'
import { doublesCheck } from './long/doubles.ts'
import { forksCheck } from './long/forks.ts'
import { imageCheck } from './long/image.ts'
import { linters } from './long/linters.ts'
import { packageCheck } from './long/package.ts'
import { receiversCheck } from './long/receivers.ts'
import { checksOfTests } from './long/tests.ts'
import { woocommerceCheck } from './long/woocommerce.ts'

const checks: Check[] = [
  packageCheck,
  receiversCheck,
  clientsCheck,
  doublesCheck,
  forksCheck,
  woocommerceCheck,
  imageCheck,
  ...linters,
  ...checksOfTests,
]

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !checks.some((check) => check.name === name))
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')}. There are: ${checks.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}
const ended = { passed: 0, failed: 0, skipped: 0 }
for (const check of checks) {
  if (asked.length > 0 && !asked.includes(check.name)) continue
  const lacking = check.lacks()
  if (lacking !== null) {
    ended.skipped++
    console.log(`skipped ${check.name}: needs ${lacking}`)
    continue
  }
  const began = performance.now()
  const dir = mkdtempSync(join(tmpdir(), 'bursar-long-'))
  const took = (): string => `${Math.round((performance.now() - began) / 1000)} s`
  try {
    const found = await check.run(dir)
    ended.passed++
    console.log(`passed ${check.name} (${took()}): ${found}`)
  } catch (error) {
    ended.failed++
    console.log(`failed ${check.name} (${took()}): ${(error as Error).stack}`)
  }
  await endAll()
  rmSync(dir, { recursive: true, force: true })
}
console.log(`${ended.passed} passed, ${ended.failed} failed, ${ended.skipped} skipped`)
process.exit(ended.failed > 0 ? 1 : 0)
