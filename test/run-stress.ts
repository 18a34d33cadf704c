/**
 * Runs `npm test` again and again beside busy loops, four for each core: a test that fails here
 * depends on how fast the machine is. Says what came of each run. `npm run test:stress -- 3` runs
 * it three times instead of ten; names of files after that run these alone.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const busyLoops = 8
const [given, ...files] = process.argv.slice(2)
const runs = Number(given ?? 10)
if (!Number.isInteger(runs) || runs < 1) {
  console.error('Usage: npm run test:stress -- [runs] [files]')
  process.exit(2)
}

const dir = mkdtempSync(join(tmpdir(), 'bursar-stress-'))
const loops = Array.from({ length: busyLoops }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
)
const endLoops = (): void => {
  for (const loop of loops) loop.kill('SIGKILL')
}
process.on('exit', endLoops)
let running: ChildProcess | null = null
let isStopped = false
// The run that is under way removes what it made, as it does when it is stopped itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    isStopped = true
    running?.kill('SIGTERM')
  })

let [passed, failed] = [0, 0]
for (let n = 1; n <= runs && !isStopped; n++) {
  const log = join(dir, `run-${n}.log`)
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['test/run.js', ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  const output = await outputOf(child, log)
  const count = (name: string): number =>
    Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(output)?.[1] ?? 0)
  const bad = count('fail') + count('cancelled')
  passed += count('pass')
  failed += bad
  const seconds = Math.round((performance.now() - startedAt) / 1_000)
  console.log(
    `run ${n}: ${count('tests')} tests, ${count('pass')} passed, ${bad} failed, exit ${child.exitCode}, ${seconds} s`,
  )
  if (child.exitCode !== 0) {
    failed ||= 1
    console.log(`  ${log}`)
    for (const [, line] of output.split('failing tests:')[1]?.matchAll(/^(✖ .*)$/gm) ?? [])
      console.log(`  ${line}`)
  }
}
endLoops()
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed > 0 ? 1 : 0)

function outputOf(child: ChildProcess, file: string): Promise<string> {
  const log = createWriteStream(file)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk
      log.write(chunk)
    })
  return new Promise((resolve) => child.on('close', () => log.end(() => resolve(output))))
}
