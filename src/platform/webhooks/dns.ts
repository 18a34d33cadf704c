/**
 * Which addresses a webhook target's name has. DNS is asked over sockets of our own: the system's
 * look-up takes one of the two threads that a process has for such work, and keeps it while a
 * name's server is silent, so two names could stop everybody's.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

const hostsFile =
  process.platform === 'win32' ? 'C:/Windows/System32/drivers/etc/hosts' : '/etc/hosts'
/** The second try may take twice as long. */
const asking = { timeout: 2_000, tries: 2 }
/**
 * Names that are answered within the operator's network, and by more than DNS. No stranger's server
 * is asked for them.
 */
const localName = /^[^.]+\.?$|\.local(host)?\.?$/

/**
 * Resolves a name: by the hosts file, else by DNS, IPv4 first. The search list of the system
 * applies to names without a dot.
 * @param local whether names of the local network are asked of the system
 * @throws {Error} when the name has no address, or nobody says within seconds
 */
export async function addressesOf(name: string, local: boolean): Promise<LookupAddress[]> {
  const listed = await listedIn(hostsFile, name)
  if (listed.length > 0) return listed
  if (local && localName.test(name)) return lookup(name, { all: true })
  // Made anew, so that it asks the servers that the system has now.
  const resolver = new Resolver(asking)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [four, six].flatMap((answer) =>
    answer.status === 'fulfilled' ? answer.value.map(withFamily) : [],
  )
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** The addresses that a hosts file gives a name. */
async function listedIn(file: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) > 0 && names.some((one) => one.toLowerCase() === name.replace(/\.$/, ''))
      ? [withFamily(address)]
      : []
  })
}
