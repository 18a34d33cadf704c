/**
 * The hosted page, as little of it as a browser needs: what is paid, and buttons to pay, to be
 * declined, to leave. No script.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Books, Transaction } from './books.ts'
import type { World } from './world.ts'

const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

function document(mode: string, transaction: Transaction): string {
  const { requested, customer, reference, status, accessCode, response } = transaction
  const buttons = [
    ['pay', transaction.channels.includes('card') ? 'Pay by card' : "I've sent the money"],
    ['decline', 'Be declined'],
    ['leave', 'Leave'],
  ].map(
    ([act, label]) =>
      `<form method="post" action="/${accessCode}/${act}"><button id="${act}">${label}</button></form>`,
  )
  const said =
    status === 'failed' ? `<p role="alert">${escaped(response)}. Try another card.</p>` : ''
  const paid = transaction.paidAt !== null
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Paystack Checkout (double)</title>
<link rel="icon" href="data:,">
<style>body{font:1rem/1.5 sans-serif;max-width:24rem;margin:2rem auto;padding:0 1rem}button{font:inherit;width:100%;padding:.75rem;margin:.25rem 0}</style>
<h1>NGN ${(requested / 100).toFixed(2)}</h1>
<p>${escaped(customer.email)}, ${mode} mode, <code>${escaped(reference)}</code></p>
${said}
${paid ? '<p role="status">This transaction is paid.</p>' : buttons.join('\n')}
</html>`
}

/**
 * Where the payer goes when they leave: `metadata.cancel_action`, which is text or in an object
 * [U]; else the page stays.
 */
function cancelUrlOf({ metadata }: Transaction): string | null {
  let read: unknown = metadata
  try {
    if (typeof metadata === 'string') read = JSON.parse(metadata)
  } catch {
    return null
  }
  const url = (read as { cancel_action?: unknown } | null)?.cancel_action
  return typeof url === 'string' ? url : null
}

function backUrlOf({ callbackUrl, reference }: Transaction): string | null {
  if (callbackUrl === null) return null
  const url = new URL(callbackUrl)
  url.searchParams.set('trxref', reference)
  url.searchParams.set('reference', reference)
  return url.href
}

/** Answers `GET /{access code}`, and the page's three buttons. */
export function answerPage(
  sides: { books: Books; payer: World['payer'] }[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  request.resume()
  const [, code = '', act] = (request.url ?? '').split(/[/?]/)
  const side = sides.find(({ books }) =>
    books.transactions.some((one) => one.accessCode === code && code !== ''),
  )
  const transaction = side?.books.transactions.find((one) => one.accessCode === code)
  if (side === undefined || transaction === undefined) {
    response.writeHead(404).end('No such page.')
    return
  }
  if (request.method !== 'POST') {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    response.writeHead(200, headers).end(document(side.books.mode, transaction))
    return
  }
  const { reference, paidAt } = transaction
  if (act === 'pay' && paidAt === null) side.payer.pay(reference)
  if (act === 'decline' && paidAt === null) side.payer.decline(reference)
  if (act === 'leave') side.payer.leave(reference)
  const away =
    act === 'pay' ? backUrlOf(transaction) : act === 'leave' ? cancelUrlOf(transaction) : null
  response.writeHead(303, { location: away ?? `/${code}` }).end()
}
