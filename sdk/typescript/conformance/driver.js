/**
 * The driver for Node.js, Bun and Deno: a message a line, an answer a line.
 */
import process from 'node:process'
import { createInterface } from 'node:readline'
import { answer, write } from './answer.js'

for await (const line of createInterface({ input: process.stdin })) {
  const { id, ...message } = JSON.parse(line)
  answer(message).then((said) => process.stdout.write(`${write({ id, ...said })}\n`))
}
