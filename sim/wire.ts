/**
 * The connections of one process of ours to PostgreSQL, cut from within it: it sees each COMMIT
 * before PostgreSQL does, the point at which a process that is killed, or a connection that is cut,
 * leaves the most in doubt. It knows as much of the protocol as that needs.
 */
import { Socket } from 'node:net'
import type { CommitFate, Done, Order } from './messages.ts'

/**
 * A simple query of one word: its type, its length with its own four bytes, the text, and a zero.
 */
const query = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x51, 0, 0, 0, 4 + text.length + 1]), Buffer.from(`${text}\0`)])
const commits = [query('COMMIT'), query('commit')]
/** The tag that PostgreSQL answers a COMMIT with. */
const committed = Buffer.from('COMMIT\0')

/** The longest that a COMMIT waits for the answer that it is not to get. */
const longestMs = 2_000

const placeOf = (chunk: Buffer): number => {
  for (const commit of commits) {
    const at = chunk.indexOf(commit)
    if (at >= 0) return at
  }
  return -1
}

/**
 * Has this process do what it is told by who started it, with every connection that it opens to
 * PostgreSQL's socket from now on.
 */
export function cutOnDemand(): void {
  const open = new Set<Socket>()
  let next: CommitFate | null = null
  let cutting = false
  const tell = (done: Done): void => void process.send?.(done, undefined, {}, () => {})
  const sealed = (fate: CommitFate): void => {
    if (fate.kill) process.kill(process.pid, 'SIGKILL')
    tell({ fate })
  }

  const watch = (socket: Socket): void => {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean
    const emit = socket.emit.bind(socket) as (...given: unknown[]) => boolean
    let fate: CommitFate | null = null
    /** @param last what still arrives */
    const cut = (last?: Buffer): boolean => {
      if (last?.length) write(last)
      while (socket.writableCorked > 0) socket.uncork()
      socket.destroy()
      return false
    }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.write = (chunk: Buffer, ...rest: unknown[]): boolean => {
      if (cutting) {
        cutting = false
        tell({ cut: 'next', connections: 1 })
        return cut(chunk.subarray(0, chunk.length >> 1))
      }
      const place = next !== null && fate === null ? placeOf(chunk) : -1
      if (place >= 0) {
        fate = next
        next = null
      }
      // Where the transaction had failed, its COMMIT is answered otherwise; nobody is to wait for
      // that for ever.
      if (place >= 0 && fate?.at === 'after') setTimeout(cut, longestMs).unref()
      if (fate?.at !== 'before') return write(chunk, ...rest)
      cut(chunk.subarray(0, place))
      sealed(fate)
      return false
    }
    socket.emit = (name: string, ...given: unknown[]): boolean => {
      if (fate === null || name !== 'data') return emit(name, ...given)
      if (!(given[0] as Buffer).includes(committed)) return true
      sealed(fate)
      return cut()
    }
  }

  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...given: [string]) {
    // What is put in the place of its methods before, it takes off as it connects.
    const connecting = connect.apply(this, given)
    if (typeof given[0] === 'string' && given[0].includes('/.s.PGSQL.')) watch(this)
    return connecting
  } as typeof connect
  process.on('message', (order: Order) => {
    if ('fate' in order) next = order.fate !== null && 'at' in order.fate ? order.fate : null
    else if (order.cut === 'next') cutting = true
    else {
      tell({ cut: 'all', connections: open.size })
      for (const socket of open) socket.destroy()
    }
  })
}
