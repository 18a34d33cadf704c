/** Asks a double as an adapter would, and makes what most tests begin with. */
import type { Double, Mode, OperationName } from '../paystack.ts'
import type { Json } from './shapes.ts'

export type Reply = { status: number; body: Json; headers: Headers }

/** The `data` of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what the wire has
export const dataOf = ({ body }: Reply): any => body.data

/** Two requests under one reference must not meet by chance. */
let last = 0
export const newReference = (prefix: 'tr' | 'po'): string =>
  `${prefix}-${String(++last).padStart(24, '0')}`

export function askerOf(double: Double, mode: Mode = 'live') {
  const send = (method: string, path: string, body?: Json): Promise<Response> =>
    fetch(`${double.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${double.keys[mode]}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  async function call(method: string, path: string, body?: Json): Promise<Reply> {
    const response = await send(method, path, body)
    return {
      status: response.status,
      body: (await response.json()) as Json,
      headers: response.headers,
    }
  }
  const ask = {
    send,
    get: (path: string) => call('GET', path),
    post: (path: string, body: Json) => call('POST', path, body),
    delete: (path: string) => call('DELETE', path),

    initialize: (amount = 500_000, more: Json = {}) =>
      ask.post('/transaction/initialize', {
        email: 'payer@shop.example',
        amount,
        currency: 'NGN',
        reference: newReference('tr'),
        callback_url: 'https://shop.example/back',
        channels: ['card'],
        metadata: { bursar_id: 'x' },
        ...more,
      }),
    charge: (amount = 500_000, more: Json = {}) =>
      ask.post('/charge', {
        email: 'payer@shop.example',
        amount,
        currency: 'NGN',
        reference: newReference('tr'),
        bank_transfer: { account_expires_at: new Date(Date.now() + 3_600_000).toISOString() },
        ...more,
      }),
    recipient: (more: Json = {}) =>
      ask.post('/transferrecipient', {
        type: 'nuban',
        name: 'ADA NGOZI OKAFOR',
        account_number: '0123456789',
        bank_code: '058',
        currency: 'NGN',
        ...more,
      }),
    async transfer(amount = 100_000, more: Json = {}) {
      const recipient = dataOf(await ask.recipient()).recipient_code
      return ask.post('/transfer', {
        source: 'balance',
        amount,
        recipient,
        reference: newReference('po'),
        reason: 'Payout',
        currency: 'NGN',
        ...more,
      })
    },
    refund: (transaction: string, amount: number, more: Json = {}) =>
      ask.post('/refund', {
        transaction,
        amount,
        currency: 'NGN',
        merchant_note: 'bursar 1',
        customer_note: 'Sorry',
        ...more,
      }),
    customer: (email = `c${++last}@shop.example`, more: Json = {}) =>
      ask.post('/customer', {
        email,
        first_name: 'Ada',
        last_name: 'Okafor',
        phone: '+2348012345678',
        ...more,
      }),
    account: (customer: string, more: Json = {}) =>
      ask.post('/dedicated_account', {
        customer,
        preferred_bank: mode === 'test' ? 'test-bank' : 'wema-bank',
        ...more,
      }),
    identify: (code: string, more: Json = {}) =>
      ask.post(`/customer/${code}/identification`, {
        country: 'NG',
        type: 'bank_account',
        bvn: '22222222222',
        bank_code: '011',
        account_number: '0111111111',
        first_name: 'Ada',
        last_name: 'Okafor',
        ...more,
      }),
    resolve: (account = '0123456789', bank = '058') =>
      ask.get(`/bank/resolve?account_number=${account}&bank_code=${bank}`),

    /** A paid transaction. */
    async paid(amount = 500_000) {
      const { reference } = dataOf(await ask.initialize(amount))
      return double[mode].payer.pay(reference)
    },
    /**
     * Asks each of the operations that orders begin with, once, in good form, with what it needs
     * made before.
     */
    async order(name: OperationName): Promise<() => Promise<Response>> {
      const reference = newReference(name === 'transfer' ? 'po' : 'tr')
      const email = 'payer@shop.example'
      const bodies: Partial<Record<OperationName, () => Promise<[string, string, Json?]>>> = {
        initialize: async () => [
          'POST',
          '/transaction/initialize',
          { email, amount: 500_000, currency: 'NGN', reference },
        ],
        charge: async () => [
          'POST',
          '/charge',
          { email, amount: 500_000, currency: 'NGN', reference, bank_transfer: {} },
        ],
        create_customer: async () => ['POST', '/customer', { email: `c${++last}@shop.example` }],
        open_account: async () => [
          'POST',
          '/dedicated_account',
          { customer: dataOf(await ask.customer()).customer_code },
        ],
        create_recipient: async () => [
          'POST',
          '/transferrecipient',
          { type: 'nuban', name: 'ADA', account_number: '0123456789', bank_code: '058' },
        ],
        transfer: async () => {
          const recipient = dataOf(await ask.recipient()).recipient_code
          return [
            'POST',
            '/transfer',
            { source: 'balance', amount: 100_000, recipient, reference, currency: 'NGN' },
          ]
        },
        refund: async () => [
          'POST',
          '/refund',
          { transaction: String((await ask.paid()).id), amount: 1_000 },
        ],
        resolve: async () => ['GET', '/bank/resolve?account_number=0123456789&bank_code=058'],
        identify: async () => {
          const code = dataOf(await ask.customer()).customer_code
          const person = { first_name: 'Ada', last_name: 'Okafor', bvn: '22222222222' }
          const account = {
            country: 'NG',
            type: 'bank_account',
            bank_code: '011',
            account_number: '0111111111',
          }
          return ['POST', `/customer/${code}/identification`, { ...person, ...account }]
        },
      }
      const [method, path, body] = (await bodies[name]?.()) ?? []
      if (method === undefined || path === undefined) throw new Error(`${name} begins no order.`)
      return () => send(method, path, body)
    },
  }
  return ask
}
