/** Live customers whose numbers Paystack holds against their accounts. */
import { type Json, listAll, must } from './harness.ts'
import { openTill, type Till } from './paystack.ts'

export const openIdentityTill = (more: Parameters<typeof openTill>[0] = {}): Promise<Till> =>
  openTill({ ...more, routes: { 'identity.ng': ['paystack'] } })

let made = 0
export const newCustomer = (till: Till, more: object = {}): Promise<Json> =>
  must(
    till.live('POST', '/customers', {
      first_name: 'Ada',
      last_name: 'Okafor',
      email: `ada${++made}@example.com`,
      phone: '+2348012345678',
      ...more,
    }),
  )

export const bvn = {
  id_type: 'bvn',
  id_number: '22212345678',
  bank_code: '058',
  account_number: '0123456789',
}

/** Gives a document, and waits until it was sent, or waits. */
export async function giveDocument(till: Till, { id }: Json, more: object = {}): Promise<Json> {
  const document = await must(till.live('POST', `/customers/${id}/documents`, { ...bvn, ...more }))
  await till.pass(0)
  return document
}

/** How a customer's document of the type stands in the table. */
export async function standing({ server }: Pick<Till, 'server'>, { id }: Json): Promise<Json> {
  const [row] = await server.app.db.query<Json>(
    'select * from customer_documents where customer_id = $1',
    [id],
  )
  return row
}

/** What the double knows of a customer. */
export const knownOf = ({ double }: Till, { id }: Json) =>
  double.live.books.customers.find((one) => one.email.startsWith(id))

export async function documentEventsOf(till: Till, { id }: Json): Promise<Json[]> {
  const all = await listAll(till.live, '/events')
  return all
    .filter(({ type, payload }) => type.startsWith('customer.document.') && payload.customer === id)
    .reverse()
}
