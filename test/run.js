/**
 * Runs the tests that need nothing but this process and one PostgreSQL. What operations declare
 * that they refuse with must have been provoked by them. It is JavaScript, so that a Node.js that
 * cannot read TypeScript reads it and says what to type.
 */
if (Number.parseInt(process.versions.node, 10) < 24) {
  const given = process.argv.slice(2)
  const command = ['npm test', ...(given.length > 0 ? ['--', ...given] : [])].join(' ')
  console.error(
    `The tests need Node.js 24, and this is ${process.version}. Run them by npm, which brings it:\n  ${command}`,
  )
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
