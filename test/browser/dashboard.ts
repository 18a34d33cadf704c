/**
 * People of a business at real browsers: signed in, and counted in what they press.
 */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { PersonRole } from '../../src/platform/team/team.ts'
import { signedIn } from '../support/dashboard.ts'
import type { TestServer } from '../support/harness.ts'
import { newPayer, type Payer, type Screen } from './browser.ts'

export type Person = Pick<Payer, 'page' | 'look' | 'leave' | 'expectErrors'> & {
  base: string
  /** Presses a link of this name, the first that is shown. */
  link(name: string | RegExp): Promise<void>
  button(name: string | RegExp): Promise<void>
  /** Presses the first of these. */
  press(what: Locator): Promise<void>
  pressed(): number
  open(path: string): Promise<void>
}

/** A person at the home page of the business, in test mode. */
export async function newPerson(
  server: TestServer,
  screen: Screen,
  role: PersonRole = 'owner',
  script = true,
): Promise<Person> {
  const payer = await newPayer(screen, { friends: [server.url], script })
  const { cookie, base } = await signedIn(server, role)
  const [name, value] = cookie.split('=') as [string, string]
  await payer.page.context().addCookies([{ name, value, url: server.url }])
  const { page } = payer
  let presses = 0
  const press = async (what: Locator): Promise<void> => {
    presses++
    await payer.press(what.first())
    await page.waitForLoadState()
  }
  await page.goto(server.url + base)
  return {
    ...payer,
    base,
    press,
    link: async (text) => press(page.getByRole('link', { name: text, exact: true })),
    button: async (text) => press(page.getByRole('button', { name: text, exact: true })),
    pressed: () => presses,
    open: async (path) => void (await page.goto(server.url + base + path)),
  }
}

/**
 * Goes to a page by the menu: a phone has to open it, and so has everybody a group that is folded,
 * by a press each.
 */
export async function byMenu(person: Person, screen: Screen, name: string): Promise<void> {
  if (screen === 'phone') await person.link('Menu')
  const group = person.page.locator('.side details:not([open])', {
    has: person.page.locator(`a:text-is("${name}")`),
  })
  if ((await group.count()) > 0) await person.press(group.locator('summary'))
  await person.link(new RegExp(`^${name}$`))
}

export const says = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor()

/**
 * Signs of a job's length: the presses of links, buttons and boxes, as typing and choosing cost the
 * same anywhere.
 */
const counted = new Map<string, Partial<Record<Screen, number>>>()

/** Checks how many presses a job took, and keeps them for the table. */
export function endJob(
  job: string,
  person: Person,
  screen: Screen,
  [desk, phone = desk]: [desk: number, phone?: number],
): void {
  counted.set(job, { ...counted.get(job), [screen]: person.pressed() })
  tookPresses(person, screen, desk, phone)
}

/** The presses of each job that was done, as a table. */
export const pressesTable = (): string =>
  [
    'Presses from Home | desktop | phone',
    ...[...counted].map(
      ([job, { desktop = '–', phone = '–' }]) => `${job} | ${desktop} | ${phone}`,
    ),
  ].join('\n')

/** How many presses a job took, those for the menu of a phone apart. */
export const tookPresses = (person: Person, screen: Screen, desk: number, phone = desk): void =>
  assert.equal(person.pressed(), screen === 'phone' ? phone : desk)
