/** The clients that take longer to compile than those of all other languages together. */
import { type Check, has, root, sh } from './check.ts'

export const clientsCheck: Check = {
  name: 'clients',
  lacks: () => (has('mvn') ? null : 'Maven and a JDK'),
  async run() {
    const said = await sh(`${process.execPath} test/run-clients.ts java kotlin`, root)
    return said.trim().split('\n').slice(-2).join('; ')
  },
}
