/**
 * What the product says that a person must look at, against the faults that befell the very thing
 * that it is about.
 */
import type { Doubles } from './providers.ts'
import type { Tally } from './tally.ts'

type Befallen = ReturnType<Doubles['befallen']>[number]
export type Incident = {
  rail: string
  kind: string
  subject: string
  detail: Record<string, string | undefined>
}

/**
 * By which fault a provider said what cannot be so: the one of the field that differs. Names of
 * every kind, of accounts too, are falsified by one. What an event was about, and no more, may be
 * any. No other kind of incident has a fault that explains it.
 */
function faultOf({ kind, detail }: Incident): RegExp | null {
  if (kind === 'needs_attention') return /^wallet_empty$/
  if (kind !== 'quarantined') return null
  const said = JSON.stringify(detail)
  if (said.includes('a refusal that this version does not know'))
    return /^(unclear_after|status_false)$/
  if (said.includes('without a name')) return /^no_name$/
  if (said.includes('a refusal that this version does not know')) return /^status_false$/
  const [, what, field] = /another ((amount|currency|mode|number)|\w+)/.exec(said) ?? []
  return what === undefined ? /^other_/ : new RegExp(`^other_${field ?? 'reference'}$`)
}

/**
 * Whether such a fault came over what the incident names: a record's id is in every reference of
 * it. One of no record names the request that was asked.
 */
function isFaulty(incident: Incident, befallen: Befallen[]): boolean {
  const { rail, subject, detail } = incident
  const names = [subject, ...(detail.reference ? [detail.reference] : [])]
  return befallen.some(
    (one) =>
      one.rail === rail &&
      faultOf(incident)?.test(one.fault) &&
      names.some((name) => one.of.includes(name)),
  )
}

/**
 * Whether an incident is as it should be without a fault. What is found of an account as a whole,
 * or of its balance's history, is found while money moves, as its lists are read one after another;
 * and a dispute is shown to a person before it is a record: whether the books agree, and each
 * dispute is one, is looked at when all is quiet.
 */
function isDue({ kind, subject, detail }: Incident, attention: ReadonlySet<string>): boolean {
  if (kind === 'balance_differs') return true
  if (kind === 'missing_here')
    return subject.startsWith('balance ') && detail.what?.toLowerCase() === 'dispute'
  if (kind === 'unhandled_event') return detail.about === 'dispute'
  return kind === 'needs_attention' && attention.has(subject)
}

/** @param attention refunds that their provider could not give back to where the money came from */
export function judgeIncidents(
  incidents: Incident[],
  befallen: Befallen[],
  attention: ReadonlySet<string>,
  tally: Tally,
): void {
  for (const incident of incidents) {
    const { rail, kind, subject, detail } = incident
    if (!isDue(incident, attention) && !isFaulty(incident, befallen))
      tally.finding(
        'unexplained incident',
        `${rail}: ${kind} of ${subject}, ${JSON.stringify(detail)}`,
      )
  }
  tally.check('incidents', incidents.length)
}
