/**
 * Marks answers of deprecated operations: since when (`Deprecation`, RFC 9745), until when
 * (`Sunset`, RFC 8594), and the successor (`Link`). See `docs/versions.md`.
 */
import type { Deprecated } from '../../core/route.ts'

const page = '</docs/versions#deprecation>; rel="deprecation"; type="text/html"'

const timeOf = (day: string): Date => new Date(`${day}T00:00:00Z`)

/** Returns the headers of a deprecated operation. */
export function deprecationHeaders({
  since,
  sunset,
  successor,
}: Deprecated): Record<string, string> {
  // A path with parameters is no URL.
  const target = successor?.includes('{') ? undefined : successor?.split(' ')[1]
  return {
    deprecation: `@${timeOf(since).getTime() / 1_000}`,
    ...(sunset === undefined ? {} : { sunset: timeOf(sunset).toUTCString() }),
    link: [page, ...(target === undefined ? [] : [`<${target}>; rel="successor-version"`])].join(
      ', ',
    ),
  }
}

/** Returns the same as a sentence for the OpenAPI document. */
export function deprecationSentence({ since, sunset, successor }: Deprecated): string {
  const gone = sunset === undefined ? '' : `, and gone after ${sunset}`
  return `Deprecated since ${since}${gone}.${successor === undefined ? '' : ` Use \`${successor}\`.`}`
}
