/** Reports guesses of a second factor: the guesser already has the password. */
import type { Actor, App } from '../../core/app.ts'
import { dashboardUrl } from '../../core/dashboard-url.ts'
import { inside, type Work } from '../../core/inside.ts'
import { transaction } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { mailOnce } from '../mail/mail.ts'
import { recordAbout, teamScope } from './records.ts'
import type { PersonRow } from './sql.ts'
import * as statements from './sql.ts'
import { countWrong } from './tries.ts'

/** From this many wrong codes a day, mistyping is unlikely. */
const wrongCodes = 5

/**
 * Counts a wrong code. The fifth in a day is mailed to the person, if the server sends mail, and
 * audited in each of the person's businesses.
 * @param address the network address of the browser
 */
export async function reportGuesses(app: App, person: PersonRow, address: string): Promise<void> {
  await transaction(app.db, async (tx) => {
    if ((await countWrong(app, tx, `wrong second factor of ${person.id}`)) !== BigInt(wrongCodes))
      return
    const at = app.clock.now()
    const actor: Actor = {
      type: 'person',
      id: person.id,
      hint: person.email,
      scopes: [],
      address,
      at,
    }
    const after = { wrong_codes: wrongCodes }
    await recordAbout(app, tx, person.id, actor, { action: 'person.second_factor_refused', after })
    // A mail needs a business: the first.
    const [first] = await tx.rows(statements.selectBusinessesOf, [person.id])
    if (first)
      await mail(inside(app, tx, teamScope(app, first.business_id, actor)), person, address)
  })
}

function mail(work: Work, { name, email: recipient }: PersonRow, address: string): Promise<void> {
  const about = `person.second_factor_refused ${newId(work.scope.now)}`
  const body = [
    `Hello ${name.replaceAll(/\s+/g, ' ')},`,
    '',
    `Someone at the address ${address} typed your password for Bursar, and then a wrong second factor. Your second factor was wrong ${wrongCodes} times within a day.`,
    'The sign-in failed. If it was you, do nothing.',
    '',
    'If it was not you, someone knows your password. Set another one:',
    dashboardUrl(work, '/account'),
    '',
  ].join('\n')
  return mailOnce(work, {
    about,
    recipient,
    subject: 'Wrong second factors at your Bursar account',
    body,
  })
}
