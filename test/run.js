/**
 * Runs the tests that need nothing but this process and one PostgreSQL. What operations declare that they refuse with must have been provoked by them.
 * It is JavaScript, so that a Node.js that cannot read TypeScript reads it and says what to type.
 */
if (Number.parseInt(process.versions.node, 10) < 24) {
  const command = ['npm test', ...process.argv.slice(2)].join(' ').replace('npm test ', 'npm test -- ')
  console.error(`The tests need Node.js 24, and this is ${process.version}. Type what brings it along:\n  ${command}`)
  process.exit(1)
}
const { inProcessFiles } = await import('./support/layers.ts')
const { unprovoked } = await import('./support/provoked.ts')
const { runTests } = await import('./support/runner.ts')

await runTests({
  patterns: inProcessFiles,
  shares: true,
  concurrency: 4,
  misses: unprovoked,
})
