/**
 * A small disk of the run's own, that can be full: a file system in memory, where this user may
 * mount one.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, statfsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type Disk = {
  /** Leaves not a byte for so long. */
  fill(ms: number): Promise<void>
  unmount(): void
}

const sizeMiB = 4_096
const resize = (dir: string, kib: number): void =>
  void execFileSync('mount', ['-o', `remount,size=${kib}k`, dir], { stdio: 'ignore' })

/** @returns null where nothing can be mounted */
export function mountDisk(dir: string): Disk | null {
  mkdirSync(dir, { recursive: true })
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', dir], {
      stdio: 'ignore',
    })
  } catch {
    return null
  }
  return {
    async fill(ms) {
      // As large as what is on it, so that nothing is left.
      for (let tries = 0; ; tries++)
        try {
          const { blocks, bfree, bsize } = statfsSync(dir)
          resize(dir, Math.ceil(((blocks - bfree) * bsize) / 1_024))
          break
        } catch (error) {
          // It has grown meanwhile.
          if (tries === 5) throw error
        }
      await sleep(ms)
      resize(dir, sizeMiB * 1_024)
    },
    unmount: () => void execFileSync('umount', ['-l', dir], { stdio: 'ignore' }),
  }
}
