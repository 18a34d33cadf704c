/**
 * Mails links: invitations and new passwords. The link is created when it is mailed. If a mail was
 * sent but not recorded, a second mail follows, and only its link works.
 */
import type { App } from '../../core/app.ts'
import { randomText, sha256 } from '../../lib/secrets.ts'
import { deliver } from '../mail/mail.ts'
import { invitationUrl } from './invitations.ts'
import { resetUrl } from './resets.ts'
import * as statements from './team-sql.ts'

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

/** Mails due links. */
export async function mailLinks(app: App): Promise<void> {
  if (app.config.SMTP_URL === null) return
  while ((await mailInvitation(app)) || (await mailReset(app)));
}

async function mailInvitation(app: App): Promise<boolean> {
  const row = await app.db.row(statements.takeInvitationMail, [app.clock.now()])
  if (!row || row.email === null) return row !== null
  const { id, email: recipient, role } = row
  const token = randomText(43)
  if (!(await app.db.row(statements.setInvitationToken, [id, sha256(token)]))) return true
  const business = oneLine(row.business_name ?? 'Bursar')
  const body = [
    'Hello,',
    '',
    `${row.inviter ? oneLine(row.inviter) : 'Someone'} has invited you to work with ${business} on Bursar, as ${role}.`,
    'Accept within a week:',
    invitationUrl(app, token),
    '',
    'If you did not expect this, do nothing.',
    '',
  ].join('\n')
  return send(app, { id, recipient, subject: `Join ${business} on Bursar`, body }, (end) =>
    app.db.rows(statements.recordInvitationMail, [id, end === 'sent' ? app.clock.now() : null]),
  )
}

async function mailReset(app: App): Promise<boolean> {
  const row = await app.db.row(statements.takeResetMail, [app.clock.now()])
  if (!row) return false
  const { id, email: recipient } = row
  if (row.person_id === null) {
    await app.db.rows(statements.recordResetMail, [id])
    return true
  }
  const token = randomText(43)
  if (!(await app.db.row(statements.setResetToken, [id, sha256(token)]))) return true
  const body = [
    `Hello ${oneLine(row.name ?? '')},`,
    '',
    'Someone has asked for a new password for your account on Bursar. Set it within an hour:',
    resetUrl(app, token),
    '',
    'If that was not you, do nothing: your password stays.',
    '',
  ].join('\n')
  return send(app, { id, recipient, subject: 'A new password for Bursar', body }, () =>
    app.db.rows(statements.recordResetMail, [id]),
  )
}

/**
 * Sends a mail. A temporary failure is retried at the time set when the mail was claimed; a
 * permanent rejection is not.
 */
async function send(
  app: App,
  letter: Parameters<typeof deliver>[1],
  record: (end: 'sent' | 'failed') => Promise<unknown>,
): Promise<true> {
  try {
    await record(await deliver(app, letter, []))
  } catch (error) {
    app.log.error({ err: error, mail: letter.id }, 'a link could not be mailed')
  }
  return true
}
