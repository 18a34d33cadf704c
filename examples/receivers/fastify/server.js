import { webhooks } from '@bursar/sdk'
import Fastify from 'fastify'
import { keep, workOff } from './inbox.js'

const secret = process.env.BURSAR_WEBHOOK_SECRET
const app = Fastify()

// A plugin of its own: its parser, which leaves the raw bytes, holds for this route alone.
app.register(async (hooks) => {
  hooks.removeAllContentTypeParsers()
  hooks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  hooks.post('/webhooks/bursar', async (request, reply) => {
    try {
      await webhooks.verify(request.body, request.headers, secret)
    } catch (error) {
      console.error(error.message)
      return reply.code(401).send()
    }
    keep(request.headers['webhook-id'], request.body.toString())
    return reply.code(204).send()
  })
  // After the answer, which is due within 10 seconds.
  hooks.addHook('onResponse', () => workOff(handle))
})

async function handle(event) {
  switch (event.type) {
    case 'payment.completed':
      // Compare amount and currency with what you sell before you hand it out.
      console.log(event.type, event.payload.reference, event.payload.amount, event.payload.currency)
      break
    default:
      console.log(event.type)
  }
}

workOff(handle) // what a crash has left
await app.listen({ port: Number(process.env.PORT ?? 3000) })
