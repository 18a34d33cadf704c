/** The client that takes as long to compile as those of all other languages together. */
import { type Check, has, root, sh } from './check.ts'

export const clientsCheck: Check = {
  name: 'clients',
  lacks: () => (has('mvn') ? null : 'Maven and a JDK'),
  async run() {
    const said = await sh(`${process.execPath} test/run-clients.ts kotlin`, root)
    return said.trim().split('\n').at(-1) as string
  },
}
