/**
 * The hello world of the framework, as its own benchmark has it: what reading is measured against.
 * Prints its address.
 */
import Fastify from 'fastify'

const server = Fastify()
server.get(
  '/',
  { schema: { response: { 200: { type: 'object', properties: { hello: { type: 'string' } } } } } },
  async () => ({ hello: 'world' }),
)
console.log(await server.listen({ port: 0, host: '127.0.0.1' }))
