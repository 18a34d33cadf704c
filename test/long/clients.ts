/** The clients that take minutes to generate or to compile. */
import { type Check, root, sh } from './check.ts'

export const clientsCheck: Check = {
  name: 'clients',
  // Each client is skipped by itself where its tools are missing.
  lacks: () => null,
  async run() {
    const said = await sh(
      `${process.execPath} test/run-clients.ts java kotlin rust hey-api orval datamodel-code-generator ogen`,
      root,
    )
    return said.trim().split('\n').slice(-2).join('; ')
  },
}
