/**
 * A small disk of the run's own, that can be full: a file system in memory, where this user may mount one.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Disk = {
  /** Leaves not a byte for so long. */
  fill(ms: number): Promise<void>
  unmount(): void
}

const sizeMiB = 2_048

/** @returns null where nothing can be mounted */
export function mountDisk(dir: string): Disk | null {
  mkdirSync(dir, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    return null
  }
  return {
    async fill(ms) {
      const file = join(dir, 'full')
      const out = openSync(file, 'w')
      try {
        for (const size of [16 << 20, 1 << 20, 4_096]) {
          const chunk = Buffer.alloc(size)
          try {
            while (writeSync(out, chunk) === size);
          } catch {
            // That much does not fit any more.
          }
        }
        await sleep(ms)
      } finally {
        closeSync(out)
        rmSync(file)
      }
    },
    unmount: () => void execFileSync('umount', ['-l', dir], { stdio: 'ignore' }),
  }
}
