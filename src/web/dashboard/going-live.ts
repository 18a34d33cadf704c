/**
 * The steps to live mode, on the home page until money comes in: each says what it needs, whether it
 * is done, and which page of the docs says how. Only the operator's people see the server's own.
 */
import { getBusiness } from '../../books/profiles/profiles.ts'
import type { Ctx } from '../../core/outside.ts'
import { latestBackups } from '../../db/cluster/backup-log.ts'
import { type Html, html, type Part } from '../../lib/html.ts'
import { lastNotified } from '../../platform/inbound/inbound.ts'
import { listMembers } from '../../platform/team/team.ts'
import type { Visit } from './place.ts'
import { collecting, isBlocked, payingOut } from './readiness.ts'
import { badge } from './view/parts.ts'
import { en } from './view/strings.ts'

/** `done`: null if it cannot be seen from here. `page`: where it is done, if that is at the dashboard. */
type Step = {
  title: string
  means: Part
  done: boolean | null
  docs: string
  page?: readonly [path: string, title: string]
}

const words = en.goingLive
/** A backup a day, with some hours of delay. */
const backupAgeMs = 2 * 24 * 60 * 60 * 1_000

/** The same business in live mode, to ask what its rails can do. No records are read by it. */
const inLive = (ctx: Ctx): Ctx => ({ ...ctx, scope: { ...ctx.scope, livemode: true } })

/** Whether live mode can take money or pay it out. */
export function hasLiveRails({ ctx }: Pick<Visit, 'ctx'>): boolean {
  const live = { ctx: inLive(ctx) }
  return !isBlocked(collecting(live)) || !isBlocked(payingOut(live))
}

/** The list in live mode; in test mode, a line that leads to it. */
export async function goingLiveSection(visit: Visit): Promise<Html | false> {
  const ready = hasLiveRails(visit)
  if (visit.mode === 'test') return !ready && pointer(visit)
  if (ready && (await hasLiveMoney(visit))) return false
  const steps = await stepsOf(visit)
  const done = steps.filter((one) => one.done).length
  if (ready && steps.every((one) => one.done !== false)) return false
  return html`<section class="sheet steps" aria-labelledby="going-live"><h2 id="going-live">${words.title}</h2>
<p class="dim">${words.means(visit.show.number(done), visit.show.number(steps.length))}</p>
<ol>${steps.map((step) => stepOf(visit, step))}</ol></section>`
}

const pointer = ({ base }: Visit): Html =>
  html`<p class="dim">${words.notYet} <a href="${base.replace(/test$/, 'live')}">${words.see}</a></p>`

function stepOf({ base }: Visit, { title, means, done, docs, page }: Step): Html {
  const [tone, state] =
    done === null
      ? (['dim', words.unseen] as const)
      : done
        ? (['good', words.done] as const)
        : (['warn', words.todo] as const)
  return html`<li><h3>${title} ${badge('', tone, state)}</h3>${means}
<p>${page && html`<a href="${base}${page[0]}">${page[1]}</a> · `}<a href="${docs}">${words.docs}<span class="unseen">: ${title}</span></a></p></li>`
}

/** Whether a live payment was completed, which no list needs to explain any more. */
async function hasLiveMoney({ allowed, api }: Visit): Promise<boolean> {
  if (!allowed('listPayments')) return false
  const { docs } = await api.listPayments({ query: { status: 'completed', limit: 1 } })
  return docs.length > 0
}

async function stepsOf(visit: Visit): Promise<Step[]> {
  const { session, can } = visit
  const [before, after] = session.installationOwner
    ? [serverSteps(visit), await runningSteps(visit)]
    : [[], []]
  return [
    ...before,
    mailStep(visit),
    railsStep(visit),
    ...after,
    await profileStep(visit),
    ...(can('team') ? [await peopleStep(visit)] : []),
    ...(await developerSteps(visit)),
  ]
}

/** Whose it is, for people who cannot do it. */
const byOperator = ({ session }: Visit): Part =>
  !session.installationOwner && html`<p class="dim">${words.byOperator}</p>`

const text = (sentence: string): Html => html`<p>${sentence}</p>`

function serverSteps({ ctx: { config } }: Visit): Step[] {
  const { SECRETS_KEY, BASE_URL } = config
  return [
    {
      title: words.key.title,
      means: text(SECRETS_KEY === null ? words.key.ofFile : words.key.ofSetting),
      done: true,
      docs: '/docs/operations#changing-the-key',
    },
    {
      title: words.address.title,
      means: text(
        BASE_URL?.startsWith('https:') ? words.address.is(BASE_URL) : words.address.means,
      ),
      done: BASE_URL?.startsWith('https:') === true,
      docs: '/docs/deploy#a-host-name-of-its-own',
    },
  ]
}

function mailStep(visit: Visit): Step {
  const { config } = visit.ctx
  const isLocal = /@localhost>?$/.test(config.MAIL_FROM)
  return {
    title: words.mail.title,
    means: html`${text(
      config.SMTP_URL !== null && isLocal ? words.mail.from(config.MAIL_FROM) : words.mail.means,
    )}${byOperator(visit)}`,
    done: config.SMTP_URL !== null && !isLocal,
    docs: '/docs/configuration',
  }
}

/** Every way for money in and out, with the providers that serve it. */
function railsStep(visit: Visit): Step {
  const live = { ctx: inLive(visit.ctx) }
  const into = collecting(live)
  const out = payingOut(live)
  const works = (ways: typeof into.ways, name: string): boolean =>
    ways.some(({ way, why }) => way === name && why === null)
  const crypto = live.ctx.terms.live.addresses !== null
  const rows = [
    [words.rails.collect.ngn, works(into.ways, 'ngn'), 'paystack', 'monnify'],
    [words.rails.collect.usd, works(into.ways, 'usd'), 'stripe'],
    [words.rails.collect.crypto, crypto, 'stablecoins'],
    [words.rails.pay.ngn, works(out.ways, 'ng'), 'paystack', 'monnify'],
    [words.rails.pay.usd, works(out.ways, 'us'), 'bridge', 'stripe'],
    [words.rails.pay.crypto, works(out.ways, 'crypto'), 'stablecoins'],
  ] as const
  const list = rows.map(
    ([title, done, ...providers]) =>
      html`<li>${badge('', done ? 'good' : 'dim', done ? words.done : words.missing)} ${title}: ${providers.map(
        (name, i) =>
          html`${i > 0 && ` ${words.or} `}<a href="/docs/${name}">${words.rails.providers[name]}</a>`,
      )}</li>`,
  )
  return {
    title: words.rails.title,
    means: html`${text(words.rails.means)}${byOperator(visit)}<ul>${list}</ul>`,
    done: !isBlocked(into),
    docs: '/docs/live#from-an-account-at-paystack-to-the-first-naira',
  }
}

/** What only shows once the server runs: webhooks of providers, and backups. */
async function runningSteps({ ctx }: Visit): Promise<Step[]> {
  const accounts = Object.values(ctx.rails.live.accounts).filter(({ inbound }) => inbound)
  const [notified, backups] = await Promise.all([
    lastNotified(
      ctx.db,
      accounts.map(({ name }) => ({ livemode: true, rail: name })),
    ),
    latestBackups(ctx.db),
  ])
  const heard = notified.filter(({ webhook_at: at }) => at !== null).map(({ rail }) => rail)
  const { made_of: made } = backups
  const isOwn = ctx.config.DATABASE_URL !== null
  return [
    {
      title: words.webhooks.title,
      means: text(words.webhooks.means),
      done: accounts.length > 0 && accounts.every(({ name }) => heard.includes(name)),
      docs: '/docs/live#webhooks-of-providers',
    },
    {
      title: words.backups.title,
      means: text(isOwn ? words.backups.own : words.backups.means),
      done: isOwn
        ? null
        : made !== null && ctx.clock.now().getTime() - made.getTime() < backupAgeMs,
      docs: '/docs/backup#backup',
    },
  ]
}

async function profileStep({ ctx }: Visit): Promise<Step> {
  const { support_email, support_phone, address } = await getBusiness(ctx)
  return {
    title: words.profile.title,
    means: text(words.profile.means),
    done: (support_email ?? support_phone) !== null && address !== null,
    docs: '/docs/business',
    page: ['/profile', words.profile.page],
  }
}

async function peopleStep({ ctx, show }: Visit): Promise<Step> {
  const members = await listMembers(ctx)
  const without = members.filter((one) => !one.has_second_factor).length
  return {
    title: words.people.title,
    means: text(without === 0 ? words.people.means : words.people.without(show.number(without))),
    done: without === 0,
    docs: '/docs/team#how-people-sign-in',
    page: ['/team', words.people.page],
  }
}

async function developerSteps({ allowed, api }: Visit): Promise<Step[]> {
  const steps: Step[] = []
  if (allowed('listKeys')) {
    const keys = await api.listKeys({ query: { limit: 1 } })
    steps.push({
      title: words.keys.title,
      means: text(words.keys.means),
      done: keys.docs.length > 0,
      docs: '/docs/keys',
      page: ['/keys', words.keys.page],
    })
  }
  if (allowed('listWebhooks')) {
    const endpoints = await api.listWebhooks({ query: { limit: 1 } })
    steps.push({
      title: words.endpoint.title,
      means: text(words.endpoint.means),
      done: endpoints.docs.length > 0,
      docs: '/docs/webhooks#register',
      page: ['/webhooks', words.endpoint.page],
    })
  }
  return steps
}
