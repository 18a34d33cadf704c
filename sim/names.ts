/**
 * A DNS server of the run's own, for the names of webhook targets: it answers, and while faults are
 * on it is silent, fails, denies or lies.
 */
import { createSocket } from 'node:dgram'
import dns from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import type { Chance } from '../test/support/chance.ts'
import type { Tally } from './tally.ts'

/** The name that the targets have. */
export const targetName = 'hooks.sim.example'

export type Names = {
  /** Where it is asked. */
  place: string
  /** How many of its answers are faulty. */
  share: number
  stop(): Promise<void>
}

const ofAddress = 1
const misbehaviours = ['hangs', 'SERVFAIL', 'NXDOMAIN', 'lies'] as const

export async function startNames(by: Chance, tally: Tally): Promise<Names> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const names: Names = {
    place: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    share: 0,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  }
  socket.on('message', (asked, { address, port }) => {
    const how = by.happens(names.share) ? by.one(misbehaviours) : null
    if (how !== null) tally.fault(`DNS: ${how}`)
    if (how !== 'hangs') socket.send(answerOf(asked, how), port, address)
  })
  socket.on('error', () => {})
  return names
}

/** An answer to a question that stands at byte 12: one address, where one of IPv4 is asked for. */
function answerOf(asked: Buffer, how: (typeof misbehaviours)[number] | null): Buffer {
  let end = 12
  while (asked[end] !== 0) end += (asked[end] ?? 0) + 1
  const question = asked.subarray(12, end + 5)
  const found = how === null || how === 'lies'
  const address = found && asked.readUInt16BE(end + 1) === ofAddress
  const header = Buffer.alloc(12)
  asked.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | (found ? 0 : how === 'NXDOMAIN' ? 3 : 2), 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(address ? 1 : 0, 6)
  // Nobody listens at the other address.
  const record = Buffer.from([
    0xc0,
    0x0c,
    0,
    1,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    4,
    127,
    0,
    0,
    how === 'lies' ? 2 : 1,
  ])
  return Buffer.concat([header, question, address ? record : Buffer.alloc(0)])
}

/** Has this process ask there, over real sockets, in place of the servers that the system names. */
export function askNamesAt(place: string): void {
  for (const method of ['resolve4', 'resolve6'] as const) {
    const ask = dns.Resolver.prototype[method] as (
      this: dns.Resolver,
      name: string,
    ) => Promise<string[]>
    Object.assign(dns.Resolver.prototype, {
      [method](this: dns.Resolver, name: string) {
        // While it asks, it takes no other servers.
        if (this.getServers()[0] !== place) this.setServers([place])
        return ask.call(this, name)
      },
    })
  }
}
