/**
 * A payer at a hosted page: a browser without scripts, as far as the pages go.
 */
import { type Json, Stop, send } from './server.ts'

/** What payers type. The server's docs list more numbers. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002760003184',
  late: '4000000000000259',
  refundFails: '4000000000005126',
}

export class Payer {
  #cookie = ''
  #html = ''

  /** Opens the page of a payment or a collection. */
  async visit({ checkout_url }: Json): Promise<void> {
    await this.#open(new URL(checkout_url).pathname)
  }

  /** The page's heading, as a person reads it. */
  heading(): string {
    return textOf(/<h1[^>]*>([\s\S]*?)<\/h1>/.exec(this.#html)?.[1] ?? '')
  }

  /** What the page warns of, or asks for: its alert, else the heading of what is to be done. */
  says(): string {
    const alert = /role="alert"[^>]*>([\s\S]*?)<\/(?:div|p)>/.exec(this.#html)
    const task = /<h2[^>]*>([\s\S]*?)<\/h2>/.exec(this.#html)
    return textOf((alert ?? task)?.[1] ?? '') || this.heading()
  }

  /** Everything that the page says. */
  text(): string {
    return textOf(/<main[^>]*>([\s\S]*?)<\/main>/.exec(this.#html)?.[1] ?? '')
  }

  /** Follows one of the ways to pay. */
  async choose(method: 'card' | 'bank_transfer' | 'crypto'): Promise<void> {
    const link = new RegExp(`href="([^"]+\\?method=${method})"`).exec(this.#html)?.[1]
    if (!link) throw new Stop(`The page '${this.heading()}' offers no way to pay by ${method}.`)
    await this.#open(link.replaceAll('&amp;', '&'))
  }

  /**
   * Sends one of the page's forms. @param name the last part of its address: `card`, `challenge`,
   * `transfer`, …
   */
  async submit(name: string, fields: Record<string, string> = {}): Promise<void> {
    const found = new RegExp(
      `<form method="post" action="([^"]+/${name})"[^>]*>([\\s\\S]*?)</form>`,
    ).exec(this.#html)
    const token = /name="token" value="([^"]+)"/.exec(found?.[2] ?? '')?.[1]
    if (!found?.[1] || !token) throw new Stop(`The page '${this.heading()}' has no form '${name}'.`)
    await this.#open(found[1], new URLSearchParams({ token, ...fields }))
  }

  /** Types a card and presses Pay. */
  async payByCard(number: string): Promise<void> {
    await this.submit('card', { number, expiry: '12/34', cvc: '123' })
  }

  async #open(path: string, form?: URLSearchParams): Promise<void> {
    const response = await send(path, {
      redirect: 'manual',
      headers: this.#cookie === '' ? {} : { cookie: this.#cookie },
      ...(form ? { method: 'POST', body: form } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) this.#cookie = cookie.split(';')[0] ?? ''
    const target = response.headers.get('location')
    if (target !== null) return this.#open(target)
    this.#html = await response.text()
    if (response.status >= 500)
      throw new Stop(`The page ${path} answered ${response.status}: ${this.heading()}`)
  }
}

const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name] as string)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
