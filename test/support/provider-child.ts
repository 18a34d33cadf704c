/** The server of `provider-killed.ts` in a process of its own, started and killed. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { after } from 'node:test'
import { until } from './harness.ts'

export type Child = { child: ChildProcess; url: string }

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill('SIGKILL')
})

export async function startChild(given: object): Promise<Child> {
  const script = new URL('provider-killed.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, JSON.stringify(given)], {
    env: { ...process.env },
  })
  children.add(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const url = await until(async () => {
    assert.equal(child.exitCode, null, said)
    return /listening on (\S+)/.exec(said)?.[1]
  }, 30_000)
  return { child, url }
}

export const killChild = ({ child }: Child): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
