/**
 * `bursar trigger`: has the sandbox do what an event tells of, by the operations that a program of
 * one's own would use.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { toJson } from '../../lib/json.ts'
import {
  accessOf,
  type Environment,
  exits,
  exitsHelp,
  modeOfKey,
  withUsageStatus,
} from './access.ts'
import { type Api, type Doc, type Fields, makeApi } from './api.ts'
import { print, printable, UserError } from './terminal.ts'

type Options = { set?: string[]; json?: boolean; quiet?: boolean }

/**
 * Makes an event happen. @param set what `--set` changes of the record that it begins with @returns
 * the id that the event's payload names
 */
type Recipe = (api: Api, set: Fields) => Promise<string>

const waitMs = 30_000
/** From one look for the event to the next. */
const looksMs = [100, 200, 400, 700, 1_000, 2_000]

/** Adds `bursar trigger`. @param out prints the event */
export function addTriggerCommand(program: Command, env: Environment, out = print): void {
  withUsageStatus(program.command('trigger'))
    .description('trigger an event in test mode')
    .argument('<type>', 'the event type, such as payment.completed')
    .option(
      '--set <field=value>',
      'a field of the record, such as amount=250000; repeat for more',
      (pair: string, all: string[] = []) => [...all, pair],
    )
    .option('--json', 'print the event as JSON')
    .option('--quiet', 'print its id alone')
    .addHelpText(
      'after',
      `\nTypes:\n${Object.keys(recipes)
        .map((type) => `  ${type}`)
        .join('\n')}\n${exitsHelp}`,
    )
    .action(async (type: string, { set = [], json = false, quiet = false }: Options) => {
      const recipe = recipeOf(type)
      const fields = fieldsOf(set)
      const access = accessOf(env)
      if (modeOfKey(access.key) === 'live')
        throw new UserError(
          'This is a live key, and events are triggered in test mode only: use a test key.',
          exits.key,
        )
      const api = makeApi(access)
      const event = await eventAbout(api, type, await recipe(api, fields))
      out(json ? toJson(event) : printable(quiet ? event.id : `${event.type}  ${event.id}`))
    })
}

function recipeOf(type: string): Recipe {
  const recipe = recipes[type]
  if (recipe) return recipe
  throw new UserError(
    `There is no event '${type}'. There are ${Object.keys(recipes).join(', ')}.`,
    exits.usage,
  )
}

/**
 * Whole numbers, `true`, `false` and `"texts"` are what JSON has them for, and all else is text;
 * `a.b` is a field of a field.
 */
function fieldsOf(set: string[]): Fields {
  const fields: Fields = {}
  for (const pair of set) {
    const [, path, text] = /^([a-z]\w*(?:\.[a-z]\w*)*)=(.*)$/is.exec(pair) ?? []
    if (path === undefined || text === undefined)
      throw new UserError(
        `--set takes field=value, such as amount=250000; '${pair}' is none.`,
        exits.usage,
      )
    const names = path.split('.')
    const last = names.pop() as string
    let at = fields
    for (const name of names) {
      if (typeof at[name] !== 'object') at[name] = {}
      at = at[name] as Fields
    }
    at[last] = /^(true|false|"[^"\\]*"|-?(0|[1-9]\d{0,14}))$/.test(text) ? JSON.parse(text) : text
  }
  return fields
}

/** Waits for the event of a type about a record. */
async function eventAbout(api: Api, type: string, id: string): Promise<Doc> {
  const until = performance.now() + waitMs
  for (let looked = 0; performance.now() < until; looked++) {
    const { docs } = await api('GET', `/events?type=${type}&limit=20`)
    const found = (docs as Doc[]).find(({ payload }) => JSON.stringify(payload).includes(`"${id}"`))
    if (found) return found
    await sleep(looksMs[looked] ?? looksMs.at(-1))
  }
  throw new UserError(
    `${type} did not come within ${waitMs / 1_000} s: does the server run jobs, and is its SANDBOX_DELAY shorter?`,
  )
}

const amount = 250_000
const currency = 'ngn'
/** More than a payout of any size costs. */
const mostFees = 1_000_000
const newReference = (): string => `trigger-${randomBytes(6).toString('hex')}`

const openPayment = (api: Api, set: Fields): Promise<Doc> =>
  api('POST', '/payments', { amount, currency, ...set })
const endPayment = (api: Api, payment: unknown, outcome: string): Promise<Doc> =>
  api('POST', `/payments/${payment}/simulate`, { outcome })

const payment =
  (outcome: string): Recipe =>
  async (api, set) => {
    const { id } = await openPayment(api, set)
    await endPayment(api, id, outcome)
    return id
  }

/**
 * A refund of a payment that it has paid. @param set of the refund; its `amount` may be less than
 * what was paid
 */
const refund =
  (outcome?: string): Recipe =>
  async (api, set) => {
    const paid = await openPayment(api, {})
    await endPayment(api, paid.id, 'completed')
    const { id } = await api('POST', '/refunds', { payment: paid.id, ...set })
    if (outcome) await api('POST', `/refunds/${id}/simulate`, { outcome })
    return id
  }

/** A dispute of a payment that it has paid. @param set of the dispute */
const dispute =
  (outcome?: string): Recipe =>
  async (api, set) => {
    const paid = await openPayment(api, {})
    await endPayment(api, paid.id, 'completed')
    const { id } = await api('POST', `/payments/${paid.id}/simulate-dispute`, set)
    if (outcome) await api('POST', `/disputes/${id}/simulate`, { outcome })
    return id
  }

/** An open invoice. @param set of the product that it sells */
async function openInvoice(api: Api, set: Fields): Promise<Doc> {
  const customer = await api('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' })
  const product = await api('POST', '/products', {
    name: 'Running shoes',
    amount,
    currency,
    ...set,
  })
  const lines = [{ product: product.id, quantity: 1 }]
  const { id } = await api('POST', '/invoices', { customer: customer.id, lines })
  return api('POST', `/invoices/${id}/finalize`)
}

const invoice =
  (next?: (api: Api, open: Doc) => Promise<unknown>): Recipe =>
  async (api, set) => {
    const open = await openInvoice(api, set)
    await next?.(api, open)
    return open.id
  }

/** A payout to an account where nothing happens until it is simulated. */
async function openPayout(api: Api, set: Fields): Promise<Doc> {
  const order: Fields = {
    reference: newReference(),
    amount,
    currency,
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: '0000000002' },
    ...set,
  }
  await api('POST', '/wallets/simulate-fund', {
    currency: order.currency,
    amount: Number(order.amount) + mostFees,
  })
  return api('POST', '/payouts', order)
}

const payout =
  (...outcomes: string[]): Recipe =>
  async (api, set) => {
    const { id, reference } = await openPayout(api, set)
    for (const outcome of outcomes) await api('POST', `/payouts/${reference}/simulate`, { outcome })
    return id
  }

/** An account that its bank gives later, or does not. */
const pendingAccount =
  (holder: string): Recipe =>
  async (api, set) => {
    const wanted = { currency, kind: 'dynamic', amount, account_name: holder, ...set }
    return (await api('POST', '/virtual-accounts', wanted)).id
  }

/** A document that is verified later, or is not. @returns its customer's id */
const pendingDocument =
  (number: string): Recipe =>
  async (api, set) => {
    const { id } = await api('POST', '/customers', { name: 'Ada Okafor', email: 'ada@example.com' })
    await api('POST', `/customers/${id}/documents`, { id_type: 'bvn', id_number: number, ...set })
    return id
  }

/** How each event is made to happen. */
export const recipes: Readonly<Record<string, Recipe>> = {
  'virtual_account.deposit': async (api, set) => {
    const account = await api('POST', '/virtual-accounts', {
      currency,
      kind: 'dynamic',
      amount,
      ...set,
    })
    const { id } = await api('POST', `/virtual-accounts/${account.id}/simulate-deposit`, {})
    return id
  },
  'virtual_account.activated': pendingAccount('Pending Account'),
  'virtual_account.failed': pendingAccount('Refused Account'),
  'customer.document.verified': pendingDocument('00000000011'),
  'customer.document.failed': pendingDocument('00000000012'),
  'customer.erased': async (api, set) => {
    const { id } = await api('POST', '/customers', {
      name: 'Ada Okafor',
      email: 'ada@example.com',
      ...set,
    })
    await api('POST', `/customers/${id}/erase`)
    return id
  },
  'crypto.deposit': async (api, set) => {
    const wallet = await api('POST', '/crypto/wallets', {})
    await api('POST', `/crypto/wallets/${wallet.id}/simulate-deposit`, {
      amount: 5_000,
      currency: 'usdc',
      ...set,
    })
    return wallet.id
  },
  'payment.completed': payment('completed'),
  'payment.failed': payment('failed'),
  'payment.expired': payment('expired'),
  'payment.canceled': async (api, set) => {
    const { id } = await openPayment(api, set)
    await api('POST', `/payments/${id}/cancel`)
    return id
  },
  'collection.completed': async (api, set) => {
    const collection = await api('POST', '/collections', {
      name: 'School fees',
      currency,
      amount,
      ...set,
    })
    await api.begin(collection.checkout_url as string)
    const { docs } = await api('GET', `/collections/${collection.id}/payments`)
    await endPayment(api, (docs as Doc[])[0]?.id, 'completed')
    return collection.id
  },
  'collection.canceled': async (api, set) => {
    const { id } = await api('POST', '/collections', {
      name: 'School fees',
      currency,
      amount,
      ...set,
    })
    await api('POST', `/collections/${id}/cancel`)
    return id
  },
  'conversion.completed': async (api, set) => {
    await api('POST', '/wallets/simulate-fund', { currency, amount: 155_000_000 })
    const wanted = { amount: 155_000_000, currency, destination_currency: 'usd', ...set }
    const { id: quote } = await api('POST', '/conversions/quote', wanted)
    return (await api('POST', '/conversions', { quote })).id
  },
  'dispute.opened': dispute(),
  'dispute.closed': dispute('lost'),
  'refund.initiated': refund(),
  'refund.completed': refund('completed'),
  'refund.failed': refund('failed'),
  'distribution.destination_changed': async (api, set) => {
    const destination = { bank_code: '058', account_number: '0123456789' }
    const shares = [{ name: 'Shoemaker', percentage_bps: 6_000, destination }]
    const { id } = await api('POST', '/distributions', {
      name: 'Shoemaker and rider',
      currency,
      shares,
      ...set,
    })
    return id
  },
  'invoice.finalized': invoice(),
  'invoice.sent': invoice((api, { id }) => api('POST', `/invoices/${id}/send`)),
  'invoice.paid': invoice((api, open) => endPayment(api, open.payment, 'completed')),
  'invoice.voided': invoice((api, { id }) => api('POST', `/invoices/${id}/void`)),
  'payout.initiated': payout(),
  'payout.review_opened': async (api, set) => {
    const destination = { bank_code: '058', account_number: '0000000011' }
    const { id, reference } = await openPayout(api, { destination, ...set })
    // It is screened by that, which is refused then.
    await api('POST', `/payouts/${reference}/simulate`, { outcome: 'completed' }).catch((error) => {
      if (!(error instanceof UserError)) throw error
    })
    return id
  },
  'payout.completed': payout('completed'),
  'payout.failed': payout('failed'),
  'payout.canceled': async (api, set) => {
    const { id, reference } = await openPayout(api, set)
    await api('POST', `/payouts/${reference}/cancel`)
    return id
  },
  'payout.returned': payout('completed', 'returned'),
}
