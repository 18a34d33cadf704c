/** What Node.js runs a server with; `package.json` says it once more for `bench:scale` and `bench:pages`. */
export const nodeFlags = ['--max-semi-space-size=8', '--heap-growing-percent=40']
