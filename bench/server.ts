/**
 * The product in a process of its own, for the load to come from another. Prints its address and keys as one line of JSON.
 */
import { createBusiness } from '../src/businesses/businesses.ts'
import { readConfig } from '../src/lib/config.ts'
import { open, serve, verifyBooks } from '../src/main.ts'

const opened = await open(readConfig(process.env), 'all')
const running = await serve(opened)
const keys: string[] = []
for (let i = 0; i < Number(process.argv[2]); i++) keys.push((await createBusiness(opened.app, `Bench ${i}`)).test_key)
console.log(JSON.stringify({ url: running.url, keys }))

process.on('SIGTERM', async () => {
  await running.stop()
  const { differences, postings } = await verifyBooks(opened.app)
  console.log(JSON.stringify({ differences: differences.length, postings: Number(postings) }))
  await opened.close()
  process.exit(0)
})
