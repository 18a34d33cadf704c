/**
 * What Node.js runs a server with; `package.json` says it once more for the benches that run the
 * server’s code themselves.
 */
export const nodeFlags = ['--max-semi-space-size=32', '--heap-growing-percent=40']
