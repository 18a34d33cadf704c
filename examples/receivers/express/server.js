import { webhooks } from '@bursar/sdk'
import express from 'express'
import { keep, workOff } from './inbox.js'

const secret = process.env.BURSAR_WEBHOOK_SECRET
const app = express()

// The raw bytes, since those are signed: this route stands before any parser of the whole app.
app.post(
  '/webhooks/bursar',
  express.raw({ type: () => true, limit: '1mb' }),
  async (request, response) => {
    try {
      await webhooks.verify(request.body, request.headers, secret)
    } catch (error) {
      console.error(error.message)
      return response.sendStatus(401)
    }
    keep(request.get('webhook-id'), request.body.toString())
    response.sendStatus(204)
    workOff(handle) // after the answer, which is due within 10 seconds
  },
)

app.use(express.json())

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
app.listen(Number(process.env.PORT ?? 3000))
