/** Checks connections to the mail server, the providers, and businesses' endpoints. */
import { modeOf } from '../../lib/mode.ts'
import { lastNotified } from '../../platform/inbound/inbound.ts'
import { incidentKinds, listIncidents } from '../../platform/incidents/incidents.ts'
import { mayCrossInClear, trySmtp } from '../../platform/mail/mail.ts'
import { failingEndpoints } from '../../platform/webhooks/webhooks.ts'
import { standingOf } from '../../rails/accounts/checks.ts'
import { type Finding, fail, type Installation, ok, type Settings, warn } from './finding.ts'

export async function mail({ config }: Settings): Promise<Finding[]> {
  if (config.SMTP_URL === null)
    return [
      warn(
        'mail',
        'SMTP_URL is not set: test mode captures mail, and nothing is mailed in live mode',
        'Set SMTP_URL.',
      ),
    ]
  // The URL contains a password.
  const { host } = new URL(config.SMTP_URL)
  try {
    await trySmtp(config)
  } catch (error) {
    return [
      fail('mail', `${host}: ${(error as Error).message}`, 'Mend SMTP_URL, or the mail server.'),
    ]
  }
  return [
    mayCrossInClear(config)
      ? warn(
          'mail',
          `${host} answers, and may be spoken to without TLS`,
          'Use smtps://, or set SMTP_ALLOW_PLAINTEXT=false.',
        )
      : ok('mail', `${host} answers and takes the login; nothing was sent`),
    ...(/@localhost>?$/.test(config.MAIL_FROM)
      ? [
          warn(
            'mail',
            `MAIL_FROM is ${config.MAIL_FROM}: most receivers refuse that`,
            'Set it to an address of yours.',
          ),
        ]
      : []),
  ]
}

/** The longest wait for a provider. */
const waitMs = 15_000

export async function rails({ app, evmWarnings }: Installation): Promise<Finding[]> {
  const standings = await standingOf(app.rails, waitMs)
  const notifications = await lastNotified(
    app.db,
    standings.map(({ mode, account }) => ({ livemode: mode === 'live', rail: account.name })),
  )
  const accounts = standings.flatMap(({ mode, account, check }) => {
    const { name, provider } = account
    const of = `${mode} ${name} at ${provider}`
    const { webhook_at: at = null, swept_at: swept = null } =
      notifications.find((one) => one.rail === name && modeOf(one.livemode) === mode) ?? {}
    const found = [
      ...(check.fatal === null ? [] : [fail('rails', `${of}: ${check.fatal}`, 'Mend RAILS_FILE.')]),
      ...(check.keyWorks === false
        ? [fail('rails', `${of}: does not take its key`, 'Give the account’s key of today.')]
        : []),
      ...(check.obstacle === null
        ? []
        : [
            warn(
              'rails',
              `${of}: payouts wait: ${check.obstacle}`,
              `Mend that there, then \`bursar rails unblock ${name}\`.`,
            ),
          ]),
      ...check.warnings.map((sentence) =>
        warn('rails', `${of}: ${sentence}`, '`bursar rails status` says more.'),
      ),
      ...webhookFindings(
        account.inbound ? `${app.origin.url}/rails/${name}/${mode}/webhook` : null,
        of,
        at,
        swept,
      ),
    ]
    if (found.length > 0) return found
    return [
      ok(
        'rails',
        `${of}: its key works${at === null ? '' : `; its last webhook came ${at.toISOString()}`}`,
      ),
    ]
  })
  const chains = (await evmWarnings()).map((sentence) =>
    warn('rails', sentence, '`bursar evm status` says more, and docs/stablecoins.md what to do.'),
  )
  const found = [...accounts, ...chains]
  return found.length > 0
    ? found
    : [ok('rails', 'no account at a provider is configured (RAILS_FILE)')]
}

/** @param url where the provider is to send webhooks; null: it sends none */
function webhookFindings(
  url: string | null,
  of: string,
  at: Date | null,
  swept: Date | null,
): Finding[] {
  if (url === null) return []
  const todo = `Enter ${url} as the webhook URL there, and see that the proxy lets it through.`
  if (swept !== null && (at === null || swept > at))
    return [
      warn(
        'rails',
        `${of}: a sweep at ${swept.toISOString()} found something without a webhook`,
        todo,
      ),
    ]
  return at === null ? [warn('rails', `${of}: no webhook of it was ever seen`, todo)] : []
}

export async function incidents({ app }: Installation): Promise<Finding[]> {
  const open = await listIncidents(app.db, {})
  const kinds = [...new Set(open.map(({ kind }) => kind))]
  if (kinds.length === 0) return [ok('incidents', 'none is open')]
  return kinds.map((kind) => {
    const count = open.filter((one) => one.kind === kind).length
    return warn(
      'incidents',
      `${count} open: ${kind}`,
      `${incidentKinds[kind]} \`bursar rails incidents\` shows them.`,
    )
  })
}

export async function endpoints({ app }: Installation): Promise<Finding[]> {
  const failing = await failingEndpoints(app.db, app.clock.now())
  if (failing.length === 0) return [ok('endpoints', 'no webhook endpoint refuses everything')]
  return failing.map(({ business_id, livemode, id, url, failed, waiting, since }) =>
    warn(
      'endpoints',
      // Only the host, because the rest of the URL may be a secret.
      `${modeOf(livemode)} ${id} (${new URL(url).host}) of business ${business_id}: nothing came since ${since.toISOString()}; ${failed} failed, ${waiting} are tried again`,
      `Tell the business. Once it answers, \`POST /webhooks/${id}/recover\` sends what failed.`,
    ),
  )
}
