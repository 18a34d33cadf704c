/**
 * What the product says that a person must look at, against the faults that befell the very thing that it is about.
 */
import type { Befallen } from './providers.ts'
import type { Tally } from './tally.ts'

export type Incident = { rail: string; kind: string; subject: string; detail: { says?: string } }

/**
 * By which fault a provider said what cannot be so: the one of the field that differs. Names of every kind, of accounts too, are falsified by one. No other kind
 * of incident has a fault that explains it.
 */
const faultOf = ({ kind, detail }: Incident): string | null =>
  kind === 'quarantined'
    ? `other_${/another (amount|currency|mode)/.exec(detail.says ?? '')?.[1] ?? 'reference'}`
    : null

/**
 * Whether such a fault came over what the incident names: a record's id is in every reference of it. One that is about no record names the request that was
 * asked, and is explained by any of those. That an account as a whole differs is found while money moves, as its lists are read one after another: whether
 * it does is looked at when all is quiet.
 */
const isExplained = (incident: Incident, befallen: Befallen[]): boolean =>
  incident.kind === 'balance_differs' ||
  befallen.some(
    ({ rail, fault, of }) => rail === incident.rail && fault === faultOf(incident) && of.includes(incident.subject),
  )

export function judgeIncidents(incidents: Incident[], befallen: Befallen[], tally: Tally): void {
  for (const incident of incidents) {
    const { rail, kind, subject, detail } = incident
    if (!isExplained(incident, befallen))
      tally.finding('unexplained incident', `${rail}: ${kind} of ${subject}, ${JSON.stringify(detail)}`)
  }
  tally.check('incidents', incidents.length)
}
