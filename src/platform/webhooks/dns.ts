/**
 * Resolves a webhook target's name by DNS over own sockets. The system's lookup blocks one of a
 * process's two threads while a name server is silent, so two such names would block all.
 */
import type { LookupAddress } from 'node:dns'
import { lookup, Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

const hostsFile =
  process.platform === 'win32' ? 'C:/Windows/System32/drivers/etc/hosts' : '/etc/hosts'
/** The second try has twice the timeout. */
const resolverOptions = { timeout: 2_000, tries: 2 }
/**
 * Names that the operator's network resolves, not only by DNS. They are never sent to a public name
 * server.
 */
const localName = /^[^.]+\.?$|\.local(host)?\.?$/

/**
 * Resolves a name: by the hosts file, else by DNS, IPv4 first. The system's search list applies to
 * names without a dot.
 * @param local whether the system resolves names of the local network
 * @throws {Error} when the name has no address, or no server answers within seconds
 */
export async function addressesOf(name: string, local: boolean): Promise<LookupAddress[]> {
  const listed = await listedIn(hostsFile, name)
  if (listed.length > 0) return listed
  if (local && localName.test(name)) return lookup(name, { all: true })
  // A new resolver for each name, so that it uses the system's current servers.
  const resolver = new Resolver(resolverOptions)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [four, six].flatMap((answer) =>
    answer.status === 'fulfilled' ? answer.value.map(withFamily) : [],
  )
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** Returns the addresses that a hosts file gives a name. */
async function listedIn(file: string, name: string): Promise<LookupAddress[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) > 0 && names.some((one) => one.toLowerCase() === name.replace(/\.$/, ''))
      ? [withFamily(address)]
      : []
  })
}
