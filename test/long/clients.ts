/**
 * The clients that take minutes to generate or to compile, and the TypeScript SDK by bundlers and
 * by Jest.
 */
import { checkBundlers } from '../../sdk/conformance/packages.ts'
import { pack } from '../../sdk/conformance/typescript.ts'
import { type Check, root, sh } from './check.ts'

export const clientsCheck: Check = {
  name: 'clients',
  // Each client is skipped by itself where its tools are missing.
  lacks: () => null,
  async run(dir) {
    const bundled = await checkBundlers(dir, await pack(dir))
    const said = await sh(
      `${process.execPath} test/run-clients.ts java kotlin rust hey-api orval datamodel-code-generator ogen`,
      root,
    )
    return [...said.trim().split('\n').slice(-2), bundled].join('; ')
  },
}
