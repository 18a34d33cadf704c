/**
 * Records that are named in forms: a customer by what a person knows of one, products and plans from a list.
 */
import { startOfDay } from '../../../lib/days.ts'
import { refuseInput } from '../../../lib/errors.ts'
import type { Doc, Visit } from '../place.ts'
import type { Field } from '../view/parts.ts'

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

export const customerField: Field = {
  name: 'customer',
  label: 'Customer',
  kind: 'text',
  required: true,
  maxLength: 254,
  hint: 'Name, email address or id.',
}

const mostNamed = 5

/** The id of the one customer that a text finds. @throws {Refusal} `validation_failed`, which names those that it finds */
export async function readCustomer({ operate }: Visit, text: string | undefined): Promise<string | undefined> {
  if (text === undefined || /^[0-9a-f]{24}$/.test(text)) return text
  const { docs }: { docs: Doc[] } = await operate('listCustomers', {
    query: { search: text, limit: String(mostNamed) },
  })
  const exact = docs.filter(({ email, name }) => [email, name].some((one) => one.toLowerCase() === text.toLowerCase()))
  const [one, ...others] = exact.length > 0 ? exact : docs
  if (one && others.length === 0) return one.id
  const found = docs.map(({ name, email }) => `${name} (${email})`).join(', ')
  const message = one
    ? `Several customers are found; type the email address of one: ${found}.`
    : 'No customer is found by this.'
  return refuseInput([{ path: 'customer', message, location: 'body' }])
}

const mostChoices = '100'

/** The newest active records of a list, for a select. */
export async function choicesOf(
  { operate }: Visit,
  list: string,
  textOf: (doc: Doc) => string,
  first: string,
): Promise<[string, string][]> {
  const { docs }: { docs: Doc[] } = await operate(list, { query: { active: 'true', limit: mostChoices } })
  return [['', first], ...docs.map((doc): [string, string] => [doc.id, textOf(doc)])]
}

/** How a test payout or refund is to end; one that has completed can only come back. */
export const outcomeField = (status: string): Field => ({
  name: 'outcome',
  label: 'How it ends',
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
