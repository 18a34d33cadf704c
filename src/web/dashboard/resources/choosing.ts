/**
 * Records that are named in forms: a customer by what a person knows of one, products and plans
 * from a list.
 */

import { startOfDay } from '../../../lib/days.ts'
import { asciiEmail } from '../../../lib/email.ts'
import { Refusal, refuseInput } from '../../../lib/errors.ts'
import type { Visit } from '../place.ts'
import { type Needs, workingOf } from '../readiness.ts'
import type { Field } from '../view/parts.ts'
import { en, wordOf } from '../view/strings.ts'

/** What payers pay in, and which wallet gets it. */
export const walletCurrency: Field = {
  name: 'currency',
  label: 'Currency',
  kind: 'select',
  required: true,
  options: [
    ['ngn', 'NGN'],
    ['usd', 'USD'],
  ],
}

/** The same, of the currencies that work. */
export const workingCurrency = (needs: Needs): Field => ({
  ...walletCurrency,
  options: workingOf(walletCurrency.options as [string, string][], needs),
})

export const customerField: Field = {
  name: 'customer',
  label: 'Customer',
  kind: 'text',
  required: true,
  maxLength: 254,
  hint: 'Name, email address or id.',
}

const mostSuggested = 50

/** The customer of a form: one that is found, or a new one, who is created with the record. */
export async function customerFields({ api, allowed }: Visit): Promise<Field[]> {
  const { docs } = await api.listCustomers({ query: { limit: mostSuggested } })
  const group = 'Or a new customer'
  return [
    {
      ...customerField,
      required: false,
      suggestions: docs.map(({ name, email }) => `${name} <${email}>`),
    },
    ...(allowed('createCustomer')
      ? ([
          { name: 'new_name', label: 'Name', kind: 'text', maxLength: 200, group },
          { name: 'new_email', label: 'Email address', kind: 'email', maxLength: 254, group },
        ] satisfies Field[])
      : []),
  ]
}

/** What the fields of `customerFields` give. */
export type CustomerForm = { customer?: string; new_name?: string; new_email?: string }

/**
 * Returns the customer that a form names. A new one is created, once for the form's key, unless one
 * has the email address already.
 * @throws {Refusal} `validation_failed` for none, two, or a new one without a name
 */
export async function chosenCustomer(
  visit: Visit,
  { customer, new_name: name, new_email: email }: CustomerForm,
): Promise<string> {
  const wrong = (path: string, message: string) =>
    refuseInput([{ path, message, location: 'body' }])
  if (customer !== undefined) {
    if (name !== undefined || email !== undefined)
      wrong('customer', 'Choose a customer, or fill in a new one, but not both.')
    return readCustomer(visit, customer)
  }
  if (name === undefined && email === undefined)
    wrong('customer', 'Choose a customer, or fill in a new one.')
  if (email === undefined) return wrong('new_email', en.required)
  const { docs } = await visit.api.listCustomers({ query: { email, limit: 1 } })
  const [known] = docs
  if (known) return known.id
  if (name === undefined) return wrong('new_name', en.required)
  const key = `${visit.request.form.key}-customer`
  return (await visit.api.createCustomer({ body: { name, email } }, key)).id
}

const mostNamed = 5

/**
 * Returns the id of the only customer that a text finds.
 * @throws {Refusal} `validation_failed`, which names the customers found
 */
export async function readCustomer({ api }: Visit, typed: string): Promise<string> {
  const text = /<([^<>]+)>$/.exec(typed)?.[1] ?? typed
  if (/^[0-9a-f]{24}$/.test(text)) return text
  const { docs } = await api.listCustomers({
    query: { search: text, limit: mostNamed },
  })
  const plain = (one: string): string => asciiEmail(one).toLowerCase()
  const exact = docs.filter(({ email, name }) =>
    [email, name].some((one) => plain(one) === plain(text)),
  )
  const [one, ...others] = exact.length > 0 ? exact : docs
  if (one && others.length === 0) return one.id
  const found = docs.map(({ name, email }) => `${name} (${email})`).join(', ')
  const message = one
    ? `Several customers match. Type the email address of one: ${found}.`
    : 'No customer matches this.'
  return refuseInput([{ path: 'customer', message, location: 'body' }])
}

const mostChoices = 100

type Choice = { id: string }

/** Lists and finds the records of a select, and names each. */
export type Choices<Chosen extends Choice> = {
  list(query: { active: true; limit: number }): Promise<{ docs: Chosen[] }>
  get(id: string): Promise<Chosen>
  textOf(doc: Chosen): string
  first: string
}

/**
 * Returns the newest active records of a list, for a select.
 * @param chosen records that are chosen already and stay, even if they are old or inactive
 */
export async function choicesOf<Chosen extends Choice>(
  { list, get, textOf, first }: Choices<Chosen>,
  chosen: readonly (string | null | undefined)[],
): Promise<[string, string][]> {
  const { docs } = await list({ active: true, limit: mostChoices })
  const isMissing = (id: string | null | undefined): id is string =>
    Boolean(id) && !docs.some((doc) => doc.id === id)
  const find = (id: string): Promise<Chosen | null> =>
    get(id).catch((error: unknown) => {
      if (error instanceof Refusal && error.status < 500) return null
      throw error
    })
  const missing = new Set(chosen.filter(isMissing))
  for (const found of await Promise.all([...missing].map(find))) if (found) docs.push(found)
  return [['', first], ...docs.map((doc): [string, string] => [doc.id, textOf(doc)])]
}

/** How a test payout or refund is to end; one that has completed can only come back. */
export const outcomeField = (status: string): Field => ({
  name: 'outcome',
  label: 'Outcome',
  kind: 'select',
  required: true,
  options:
    status === 'completed'
      ? [['returned', 'The money came back']]
      : [
          ['completed', 'Completed'],
          ['failed', 'Failed'],
        ],
})

/**
 * When a day that was typed begins, or so many days later.
 * @throws {Refusal} `validation_failed`, about the field `path`
 */
export function readDay(path: string, text: string, timeZone: string, ahead = 0): string {
  try {
    return startOfDay(text, timeZone, ahead).toISOString()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return refuseInput([{ path, message: 'Choose a day.', location: 'body' }])
  }
}

/**
 * Says at the amount what the wallet has, before anything is confirmed.
 * @throws {Refusal} `validation_failed` if the wallet has less available
 */
export function requireAvailable(
  { amount, currency }: { amount: number; currency: string },
  available: number,
  { show }: Pick<Visit, 'show'>,
): void {
  if (amount > available)
    refuseInput([
      {
        path: 'amount',
        message: en.tooMuch(wordOf(currency), show.money(available, currency)),
        location: 'body',
      },
    ])
}
