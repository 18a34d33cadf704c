/** Negotiates the language of pages. */

/** Longer headers are abuse. */
const mostRanges = 32

/**
 * Returns the weight of a language range, from 0 to 1 (RFC 9110, 12.4.2); null if it is invalid.
 */
function qualityOf(parameters: string[]): number | null {
  const [parameter, ...more] = parameters
  if (parameter === undefined) return 1
  const quality = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(parameter)?.[1]
  return quality === undefined || more.length > 0 ? null : Number(quality)
}

/**
 * Returns the best offered language for `Accept-Language` (RFC 9110, 12.5.4), by the lookup of RFC
 * 4647, 3.4 (`fr-CA` finds `fr`). Of equal weights, the earlier wins.
 * @param offered language tags; `*` is the first of them without `q=0`
 * @returns null if none is acceptable
 */
export function languageFor<L extends string>(header: string, offered: readonly L[]): L | null {
  const ranges = header
    .split(',', mostRanges)
    .flatMap((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      const quality = qualityOf(parameters)
      return /^(\*|[a-z]{1,8}(-[a-z0-9]{1,8})*)$/.test(range) && quality !== null
        ? [{ range, quality }]
        : []
    })
    .sort((a, b) => b.quality - a.quality)
  const isOf = (range: string, language: string): boolean =>
    range === language || range.startsWith(`${language}-`)
  const refused = new Set(ranges.filter(({ quality }) => quality === 0).map(({ range }) => range))
  const open = offered.filter((language) => !refused.has(language))
  for (const { range, quality } of ranges) {
    if (quality === 0) break
    const found = range === '*' ? open[0] : open.find((language) => isOf(range, language))
    if (found !== undefined) return found
  }
  return null
}
