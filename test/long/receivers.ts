/**
 * The receivers that take longer than a change should wait for: Next.js is built, those in Python
 * install much, and few machines have Laravel.
 */
import { type Check, has, root, sh } from './check.ts'

export const receiversCheck: Check = {
  name: 'receivers',
  lacks: () => (has('npm') ? null : 'npm'),
  async run() {
    const line = `${process.execPath} test/run-receivers.ts nextjs fastapi django laravel`
    const said = await sh(line, root, { RECEIVERS_MINUTES: '20' })
    return said.trim().split('\n').at(-1) as string
  },
}
