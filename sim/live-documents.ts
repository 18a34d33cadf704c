/**
 * Customers of the live business who give numbers, their own and others', and what is believed of
 * them.
 */
import type { Client } from './client.ts'
import type { Operation } from './money.ts'
import type { Doubles } from './providers.ts'
import type { Tally } from './tally.ts'
import type { Shop, World } from './world.ts'

export function liveDocuments({ dojah }: Doubles): Operation[] {
  async function verify(client: Client): Promise<void> {
    const { by } = client
    const idType = by.one(['bvn', 'nin'] as const)
    const due = by.one(['verified', 'verified', 'verified', 'mismatch', 'not_found'] as const)
    const { first, last, ...numbers } = dojah.person(due !== 'not_found')
    const customer = await client.write('createCustomer (live)', 'POST', '/customers', {
      first_name: due === 'mismatch' ? 'Zainab' : first,
      last_name: last,
      email: `${client.name('document')}@example.com`,
    })
    if (!customer) return
    const { id } = customer.data
    dojah.documents.push({ customer: id, idType, number: numbers[idType], due })
    const given = { id_type: idType, id_number: numbers[idType] }
    await client.write('verifyCustomerDocument (live)', 'POST', `/customers/${id}/documents`, given)
  }
  return [{ weight: 2, run: verify }]
}

/**
 * What is believed of each number is what its issuer has, and was notified of once; but a provider
 * that gives an answer which is no use says no more of it.
 */
export async function judgeDocuments(
  { database, doubles }: World,
  { model }: Shop,
  tally: Tally,
): Promise<void> {
  const { documents } = doubles.dojah
  const rows = await database.ask<{ customer: string; status: string; notified: string[] | null }>(
    `select d.customer_id as customer, coalesce(d.failure_reason, d.status) as status,
            (select array_agg(e.type) from events e
              where e.business_id = d.business_id and e.livemode and e.type like 'customer.document.%'
                and e.body::jsonb->'payload'->>'customer' = d.customer_id) as notified
       from customer_documents d where d.business_id = $1 and d.livemode`,
    [model.id],
  )
  const found = new Map(rows.map((row) => [row.customer, row]))
  const useless = doubles.dojah
    .befallen()
    .filter(({ fault }) => ['refused', 'entity_null', 'other_number', 'no_name'].includes(fault))
  for (const { customer, idType, due } of documents) {
    const { status, notified } = found.get(customer) ?? { status: 'nowhere', notified: [] }
    const wasRefused =
      ['rejected', 'not_found'].includes(status) && useless.some(({ of }) => of.includes(customer))
    if (status !== due && !wasRefused)
      tally.finding('documents', `a ${idType} of customer ${customer} is ${status}, not ${due}`)
    if (status === 'pending') continue
    const type = `customer.document.${status === 'verified' ? 'verified' : 'failed'}`
    if (notified?.join() !== type)
      tally.finding(
        'documents',
        `customer ${customer} was notified of ${notified?.join() ?? 'nothing'}, not ${type}`,
      )
  }
  tally.check('numbers of people', documents.length)
}
