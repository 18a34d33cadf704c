/**
 * What one process of a machine alone may do at a time. The system takes the lock back when its
 * process ends, however it does.
 */
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Where a lock of a name is: on Linux and Windows a name that is gone with its process, elsewhere a
 * socket in the folder of temporary files.
 */
function addressOf(
  name: string,
  platform: NodeJS.Platform = process.platform,
): { path: string; isFile: boolean } {
  if (platform === 'linux') return { path: `\0bursar-${name}`, isFile: false }
  if (platform === 'win32') return { path: `\\\\.\\pipe\\bursar-${name}`, isFile: false }
  return { path: join(tmpdir(), `bursar-${name}.sock`), isFile: true }
}

/**
 * Takes the lock of a name, until the process ends.
 * @param name that nobody else can guess, so that nobody takes it first
 * @returns false when another process has it
 */
export async function takeLock(name: string, platform?: NodeJS.Platform): Promise<boolean> {
  const { path, isFile } = addressOf(name, platform)
  if (await listens(path)) return true
  // The socket of a process that was killed stays, and nobody answers there.
  if (!isFile || (await answers(path))) return false
  rmSync(path, { force: true })
  return listens(path)
}

async function listens(path: string): Promise<boolean> {
  const server: Server = createServer((socket) => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen({ path }, () => {
      // It holds no process back.
      server.unref()
      resolve(true)
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
