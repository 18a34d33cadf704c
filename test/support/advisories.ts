/** Judges what `npm audit --json` reports about a lock file. */

export type Lock = { packages: Record<string, { dev?: boolean }> }

export type Advisory = {
  /** Its GHSA id, or the URL where it has none. */
  id: string
  package: string
  title: string
  severity: string
  /** Whether an installation without development packages has the package. */
  isProduction: boolean
}

/** An advisory that does not concern Bursar, and until when that was decided, as `2027-01-31`. */
export type Exception = { id: string; package: string; reason: string; until: string }

type Via = { name: string; title: string; url: string; severity: string }
type Report = {
  vulnerabilities?: Record<string, { via: (string | Via)[]; nodes: string[] }>
  message?: string
  error?: { code?: string; summary?: string }
}

/**
 * Returns the advisories of a report, or why the registry gave none.
 * @throws {Error} when npm could not audit for another reason, such as a missing lock file
 */
export function readAudit(
  output: string,
  lock: Lock,
): { advisories: Advisory[] } | { unreachable: string } {
  const { vulnerabilities, message, error }: Report = JSON.parse(output)
  if (vulnerabilities === undefined) {
    if (error?.code === undefined && message !== undefined) return { unreachable: message }
    throw new Error(`npm audit failed: ${error?.code} ${error?.summary}`)
  }
  const advisories = Object.values(vulnerabilities).flatMap(({ via, nodes }) =>
    via
      // A string names another package of the report that brings the advisory in.
      .filter((one) => typeof one !== 'string')
      .map(({ name, title, url, severity }) => ({
        id: /GHSA-[\w-]+$/.exec(url)?.[0] ?? url,
        package: name,
        title,
        severity,
        isProduction: nodes.some((at) => lock.packages[at]?.dev !== true),
      })),
  )
  return { advisories }
}

const isSevere = ({ severity }: Advisory): boolean => severity === 'high' || severity === 'critical'

/**
 * Returns the advisories that fail the check, with why, and the others.
 * @param today as `2026-11-29`: an exception holds on its last day
 */
export function judge(advisories: Advisory[], exceptions: Exception[], today: string) {
  const failures: string[] = []
  const notes: string[] = []
  for (const advisory of advisories) {
    const exception = exceptions.find(
      (one) => one.id === advisory.id && one.package === advisory.package,
    )
    const text = `${advisory.severity}: ${advisory.package}, ${advisory.title} (${advisory.id})`
    if (!advisory.isProduction) notes.push(`${text}, for development only`)
    else if (!isSevere(advisory)) notes.push(text)
    else if (exception === undefined)
      failures.push(`${text}: update the package, or list it in test/advisories.json`)
    else if (exception.until < today)
      failures.push(`${text}: its exception ended on ${exception.until}`)
    else notes.push(`${text}, accepted until ${exception.until}: ${exception.reason}`)
  }
  return { failures, notes }
}
