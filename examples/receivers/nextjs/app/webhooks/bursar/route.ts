import { webhooks } from '@bursar/sdk'
import { after } from 'next/server'
import { handle } from '../../../lib/handle'
import { keep, workOff } from '../../../lib/inbox'

const secret = process.env.BURSAR_WEBHOOK_SECRET as string

export async function POST(request: Request): Promise<Response> {
  // The raw bytes, since those are signed; not request.json().
  const body = Buffer.from(await request.arrayBuffer())
  try {
    await webhooks.verify(body, request.headers, secret)
  } catch (error) {
    console.error((error as Error).message)
    return new Response(null, { status: 401 })
  }
  keep(request.headers.get('webhook-id') as string, body.toString())
  after(() => workOff(handle)) // after the answer, which is due within 10 seconds
  return new Response(null, { status: 204 })
}
