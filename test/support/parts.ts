/**
 * Runs the parts of a check, each a program, several at a time: prints each one's output in one
 * piece when it ends, and counts what passed.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'

export type Part = {
  name: string
  /** What Node.js runs, or the path of another program first where `program` says so. */
  args: string[]
  program?: string
  /** What the machine lacks, so that the part is skipped. */
  lacks?: string | null
  /** Prints its output as it comes. */
  isShown?: boolean
}

export type Counts = { passed: number; failed: number; skipped: number }

type Options = {
  atOnce: number
  /** Ends all other parts as soon as one fails. */
  endsAtFailure?: boolean
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export const sentenceOf = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

/** Runs parts in their order, so many at once. @returns the counts of all together */
export async function runParts(
  parts: Part[],
  { atOnce, endsAtFailure = false }: Options,
): Promise<Counts> {
  const running = new Set<ChildProcess>()
  let isEnding = false
  const endAll = (): void => {
    isEnding = true
    for (const child of running) child.kill('SIGTERM')
  }
  for (const signal of signals) process.on(signal, endAll)

  const lines: string[] = []
  const total: Counts = { passed: 0, failed: 0, skipped: 0 }
  const runOne = async (part: Part): Promise<void> => {
    const startedAt = performance.now()
    const { counts, output } = part.lacks ? skipped(part.lacks) : await run(part, running)
    const took = `${Math.round((performance.now() - startedAt) / 1_000)} s`
    if (isEnding) return void lines.push(`${part.name} (${took}): ended before its end`)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
    lines.push(`${part.name} (${took}): ${sentenceOf(counts)}`)
    if (!part.isShown) console.log(`--- ${part.name}\n${output.trimEnd()}\n--- ${lines.at(-1)}\n`)
    if (counts.failed > 0 && endsAtFailure) endAll()
  }
  const waiting = [...parts]
  const runNext = async (): Promise<void> => {
    for (let part = waiting.shift(); part && !isEnding; part = waiting.shift()) await runOne(part)
  }
  await Promise.all(Array.from({ length: atOnce }, runNext))
  for (const signal of signals) process.off(signal, endAll)
  if (isEnding) total.failed = Math.max(1, total.failed)
  console.log([...lines, sentenceOf(total)].join('\n'))
  return total
}

const skipped = (lacks: string): { counts: Counts; output: string } => ({
  counts: { passed: 0, failed: 0, skipped: 1 },
  output: `skipped: needs ${lacks}`,
})

function run(
  { args, program = process.execPath, isShown = false }: Part,
  running: Set<ChildProcess>,
): Promise<{ counts: Counts; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    let output = ''
    for (const [stream, shown] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ] as const)
      stream.on('data', (chunk) => {
        output += chunk
        if (isShown) shown.write(chunk)
      })
    const end = (code: number | null): void => {
      running.delete(child)
      resolve({ counts: countsOf(output, code === 0), output })
    }
    child.on('error', (error) => {
      output += error.message
      end(null)
    })
    child.on('close', end)
  })
}

/**
 * What a program says that it passed, in its last line of counts or in those of Node.js's tests;
 * one thing where it says nothing.
 */
function countsOf(output: string, isWell: boolean): Counts {
  const text = stripVTControlCharacters(output)
  const said = [...text.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)]
    .at(-1)
    ?.slice(1)
    .map(Number)
  const ofTests = (name: string): number =>
    Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
  const [passed, failed, skipped] = said ?? [
    ofTests('pass'),
    ofTests('fail') + ofTests('cancelled'),
    ofTests('skipped'),
  ]
  const counts = { passed: passed ?? 0, failed: failed ?? 0, skipped: skipped ?? 0 }
  if (!isWell) counts.failed = Math.max(1, counts.failed)
  if (isWell && said === undefined && counts.passed === 0) counts.passed = 1
  return counts
}
