/** The clients that take longer to compile than those of all other languages together, and the TypeScript SDK by bundlers and by Jest. */
import { checkBundlers } from '../../sdk/conformance/packages.ts'
import { pack } from '../../sdk/conformance/typescript.ts'
import { type Check, has, root, sh } from './check.ts'

export const clientsCheck: Check = {
  name: 'clients',
  lacks: () => (has('mvn') ? null : 'Maven and a JDK'),
  async run(dir) {
    const bundled = await checkBundlers(dir, await pack(dir))
    const said = await sh(`${process.execPath} test/run-clients.ts java kotlin`, root)
    return [...said.trim().split('\n').slice(-2), bundled].join('; ')
  },
}
