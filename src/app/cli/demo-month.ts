/**
 * What happens to a shop in a month: the same every time, as an outsider does it, by operations of
 * the API. Nobody in it can be mailed, and no account in it is anybody's.
 */
import type { OperationInput } from '../../core/route.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape, as JSON has them
type Json = any

export type Shop = {
  /** Does what a request of the operation would. */
  ask(operation: string, input?: OperationInput): Promise<Json>
  /** Opens a payment by the page of a collection, as a payer does. */
  usePage(collection: string, amount: number, email: string): Promise<{ id: string }>
  /** Lets time pass, and whatever becomes due by it happen. */
  wait(hours: number): Promise<void>
  /** The time there. */
  time(): Date
  /** Whether the sandbox plays the chains. */
  crypto: boolean
}

const openDays = 26
const dayMs = 86_400_000

const people = [
  'Ada Okafor',
  'Bola Adeyemi',
  'Chidi Eze',
  'Damilola Ojo',
  'Efe Omoruyi',
  'Fatima Bello',
  'Gbenga Alabi',
  'Halima Sani',
  'Ifeoma Nwosu',
  'Jide Balogun',
  'Kemi Lawal',
  'Lanre Bakare',
  'Maryam Yusuf',
  'Ngozi Obi',
  'Obinna Uche',
  'Peju Coker',
  'Rasheed Musa',
  'Simi Akande',
  'Tunde Afolabi',
  'Zainab Garba',
]
const goods = [
  ['Ankara tote bag', 18_500_00],
  ['Leather sandals', 24_000_00],
  ['Handwoven basket', 9_750_00],
  ['Adire scarf', 12_500_00],
  ['Beaded necklace', 7_200_00],
] as const
const suppliers = [
  ['Oshodi Textiles', '0123456789'],
  ['Aba Leather Works', '0223344556'],
  ['Swift Couriers', '0334455667'],
  ['Marina Properties', '0445566778'],
] as const

/** A transfer's sender. */
const senderOf = (name: string) => ({
  account_name: name,
  account_number: '0123456789',
  bank_name: 'Guaranty Trust Bank',
  bank_code: '058',
})

/** Numbers that look drawn, and are the same every time. @returns a whole number below `below` */
function draws(): (below: number) => number {
  let state = 20_261_122
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

type Stock = {
  customers: Json[]
  products: Json[]
  collections: Json[]
  account: Json
  wallet: Json | null
  distribution: Json
  /** Orders so far. */
  orders: number
}

/** Lives through the month: days on which the shop is open, then what is still open at its end. */
export async function liveMonth(shop: Shop): Promise<void> {
  const draw = draws()
  const stock = await openShop(shop)
  const refundable: Json[] = []
  for (let day = 1; day <= openDays; day++) {
    // Every seventh day it is closed.
    await shop.wait((day % 6 === 0 ? 45 : 21) + draw(6))
    for (let sale = 2 + draw(3); sale > 0; sale--)
      refundable.push(...(await sell(shop, stock, day, draw)))
    if (day % 3 === 0) await collect(shop, stock, day, draw)
    if (day % 3 === 1) await receive(shop, stock, day, draw)
    if (day % 2 === 0) await payOut(shop, day, draw)
    if (day % 4 === 2) {
      const drawn = draw(refundable.length)
      const index = day === 14 ? refundable.findLastIndex(isTransfer) : drawn
      await refund(shop, refundable.splice(index, 1)[0], day)
    }
    if (day % 2 === 1) await invoice(shop, stock, day)
  }
  await shop.ask('settleDistribution', { params: { id: stock.distribution.id } })
  await sendSlowly(shop, refundable)
  await shop.wait(6)
  await leaveOpen(shop, stock)
}

async function openShop({ ask, crypto }: Shop): Promise<Stock> {
  for (const [currency, amount] of [
    ['ngn', 2_500_000_00],
    ['usd', 6_000_00],
  ])
    await ask('simulateFunding', { body: { currency, amount } })
  const customers = []
  for (const [index, name] of people.entries()) {
    const [first_name = '', last_name = ''] = name.split(' ')
    const email = `${first_name}.${last_name}@customer.example`.toLowerCase()
    const phone = `+23480${String(30_000_000 + index * 1_234_567)}`
    const address = { line1: `${index + 3} Marina Road`, city: 'Lagos', country: 'ng' }
    const body = {
      first_name,
      last_name,
      email,
      phone,
      reference: `demo-customer-${index + 1}`,
      address,
    }
    customers.push(await ask('createCustomer', { body }))
  }
  const shares = [
    {
      name: 'Weaver',
      percentage_bps: 3_000,
      destination: { bank_code: '058', account_number: '0556677889' },
    },
    {
      name: 'Designer',
      percentage_bps: 1_000,
      destination: { bank_code: '044', account_number: '0667788990' },
    },
  ]
  const distribution = await ask('createDistribution', {
    body: { name: 'Weavers’ share', currency: 'ngn', shares },
  })
  const products = []
  for (const [index, [name, amount]] of goods.entries()) {
    const shared = index === 2 ? { distribution: distribution.id } : {}
    products.push(
      await ask('createProduct', { body: { name, amount, currency: 'ngn', ...shared } }),
    )
  }
  products.push(
    await ask('createProduct', {
      body: { name: 'Export order, per carton', amount: 180_00, currency: 'usd' },
    }),
  )
  const collections = []
  for (const body of [
    {
      name: 'Weaving class',
      description: 'One Saturday, all material',
      currency: 'ngn',
      amount: 15_000_00,
    },
    { name: 'Support our weavers', currency: 'ngn', min_amount: 500_00, max_amount: 100_000_00 },
    { name: 'Pop-up market ticket', currency: 'ngn', amount: 3_000_00, max_payments: 40 },
  ])
    collections.push(await ask('createCollection', { body }))
  const own = { customer: customers[3].id, reference: 'demo-account-1' }
  const account = await ask('createVirtualAccount', {
    body: { ...own, currency: 'ngn', kind: 'static' },
  })
  const holder = { customer: customers[7].id, label: 'Export orders', reference: 'demo-wallet-1' }
  const wallet = crypto ? await ask('createCryptoWallet', { body: holder }) : null
  return { customers, products, collections, account, wallet, distribution, orders: 0 }
}

/** An order of the shop. @returns the payment when it was paid as it should be */
async function sell(
  { ask, crypto }: Shop,
  stock: Stock,
  day: number,
  draw: (below: number) => number,
) {
  const customer = stock.customers[draw(stock.customers.length)]
  const dollars = draw(8) === 0
  const [name, price] = goods[draw(goods.length)] as (typeof goods)[number]
  const sold = dollars
    ? { amount: 25_00 + draw(40) * 5_00, currency: 'usd' }
    : { amount: price, currency: 'ngn' }
  const number = 1_000 + ++stock.orders
  const payment = await ask('createPayment', {
    body: {
      ...sold,
      reference: `demo-order-${number}`,
      description: name,
      customer: customer.id,
      email: customer.email,
      on_mismatch: draw(4) === 0 ? 'reverse' : 'accept',
    },
  })
  const params = { id: payment.id }
  const end = (outcome: string, method?: string) =>
    ask('simulatePayment', {
      params,
      body: method === undefined ? { outcome } : { outcome, method },
    })
  switch (draw(12)) {
    case 0:
      await end('failed')
      return []
    case 1:
      // Nobody pays: a day later it expires.
      return []
    case 2:
      await end('underpaid', 'bank_transfer')
      return []
    case 3:
      await (day % 2 === 0 ? end('overpaid', 'bank_transfer') : ask('cancelPayment', { params }))
      return []
    case 4:
      return [await end('completed', crypto ? 'crypto' : 'card')]
    case 5:
    case 6:
    case 7:
    case 8:
      return [await end('completed', 'bank_transfer')]
    default:
      return [await end('completed', 'card')]
  }
}

/** Payers use the links of the collections. */
async function collect(
  { ask, usePage }: Shop,
  stock: Stock,
  day: number,
  draw: (below: number) => number,
) {
  for (const [index, { id }] of stock.collections.entries()) {
    const { email } = stock.customers[(day + index) % stock.customers.length]
    const payment = await usePage(id, 500_00 + draw(20) * 500_00, email)
    const body = { outcome: 'completed', method: draw(2) === 0 ? 'card' : 'bank_transfer' }
    if (draw(5) > 0) await ask('simulatePayment', { params: { id: payment.id }, body })
  }
}

/** Money comes to the customers’ own account and wallet. */
async function receive({ ask }: Shop, stock: Stock, day: number, draw: (below: number) => number) {
  const sender = senderOf(stock.customers[3].name)
  const transfer = { amount: 20_000_00 + draw(30) * 1_000_00, sender }
  await ask('simulateVirtualAccountDeposit', { params: { id: stock.account.id }, body: transfer })
  if (stock.wallet === null || day % 2 === 0) return
  const tokens = { amount: 150_00 + draw(20) * 10_00, currency: 'usdc', chain: 'base' }
  await ask('simulateCryptoWalletDeposit', { params: { id: stock.wallet.id }, body: tokens })
}

/** Suppliers are paid; now and then a bank does not take it, or gives it back. */
async function payOut({ ask, crypto }: Shop, day: number, draw: (below: number) => number) {
  const [name, account] = suppliers[(day / 2) % suppliers.length] as (typeof suppliers)[number]
  const failing = { 8: '0000000001', 20: '0000000004' }[day]
  const destination = { bank_code: '058', account_number: failing ?? account }
  const payout = {
    currency: 'ngn',
    method: 'bank_transfer',
    amount: 45_000_00 + draw(30) * 2_500_00,
    destination,
  }
  await ask('createPayout', {
    body: { ...payout, reference: `demo-supplier-${day}`, description: name },
  })
  if (crypto && day % 8 === 6) {
    const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
    const abroad = { currency: 'usdc', chain: 'base', address }
    const tokens = {
      currency: 'usd',
      method: 'crypto',
      amount: 120_00 + draw(10) * 20_00,
      destination: abroad,
    }
    await ask('createPayout', {
      body: { ...tokens, reference: `demo-import-${day}`, description: 'Dyes, imported' },
    })
  }
  if (day === 18) {
    const back = { outcome: 'returned', failure_reason: 'invalid_account' }
    await ask('simulatePayout', { params: { reference: 'demo-supplier-16' }, body: back })
  }
}

/** Whether a payment may be refunded to another account: it was paid by transfer, in naira. */
const isTransfer = ({ method, currency }: Json): boolean =>
  method === 'bank_transfer' && currency === 'ngn'

/** A customer sends something back, in whole or in part; once to an account that does not exist. */
async function refund({ ask }: Shop, payment: Json, day: number) {
  if (payment === undefined) return
  const part = day % 8 === 2 ? { amount: Math.floor(payment.amount / 2) } : {}
  const said = {
    reason: day % 8 === 2 ? 'One item was missing' : 'Sent back',
    reference: `demo-refund-${day}`,
  }
  const wrong = { bank_code: '058', account_number: '0000000001' }
  const to = day === 14 ? { destination: wrong } : {}
  await ask('createRefund', { body: { payment: payment.id, ...part, ...said, ...to } })
}

/** Shops that resell are invoiced: most pay, some are late, one order is called off. */
async function invoice({ ask, time }: Shop, stock: Stock, day: number) {
  const index = (day - 1) / 2
  const product = stock.products[index % stock.products.length]
  const due_date = new Date(time().getTime() + (index % 3 === 0 ? 5 : 21) * dayMs)
    .toISOString()
    .slice(0, 10)
  const lines = [{ product: product.id, quantity: 3 + index }]
  const customer = stock.customers[(index * 3) % stock.customers.length].id
  const { id } = await ask('createInvoice', {
    body: { customer, lines, due_date, memo: 'Thank you for your order.' },
  })
  if (day === openDays - 1) return
  const finalized = await ask('finalizeInvoice', { params: { id } })
  if (index === 4) await ask('voidInvoice', { params: { id } })
  else if (index % 3 === 1 || index === 2 || index === 8)
    await ask('simulatePayment', {
      params: { id: finalized.payment },
      body: { outcome: 'completed', method: 'bank_transfer' },
    })
}

/** The sandbox leaves what goes to this account under way. */
async function sendSlowly({ ask }: Shop, refundable: Json[]) {
  const destination = { bank_code: '058', account_number: '0000000002' }
  const rent = { currency: 'ngn', method: 'bank_transfer', amount: 80_000_00, destination }
  await ask('createPayout', {
    body: { ...rent, reference: 'demo-rent', description: 'Rent of the shop' },
  })
  const payment = refundable.findLast(isTransfer).id
  await ask('createRefund', {
    body: { payment, reason: 'Too small', reference: 'demo-refund-slow', destination },
  })
}

/** What is open on the day that somebody looks. */
async function leaveOpen({ ask, usePage }: Shop, stock: Stock) {
  for (const [index, customer] of stock.customers.slice(0, 4).entries()) {
    const { name, amount, currency } = stock.products[index]
    const bought = {
      amount,
      currency,
      description: name,
      reference: `demo-order-${1_000 + ++stock.orders}`,
    }
    await ask('createPayment', {
      body: { ...bought, customer: customer.id, email: customer.email },
    })
  }
  await usePage(stock.collections[0].id, 0, stock.customers[5].email)
}
