/**
 * What a browser says that its reader reads, against what there is.
 */

/** More is nobody's list of languages. */
const mostRanges = 32

/**
 * How much a part of the header is wanted: 0 to 1, by the syntax of RFC 9110, 12.4.2; null for what
 * is none.
 */
function qualityOf(parameters: string[]): number | null {
  const [parameter, ...more] = parameters
  if (parameter === undefined) return 1
  const quality = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.exec(parameter)?.[1]
  return quality === undefined || more.length > 0 ? null : Number(quality)
}

/**
 * The language that suits a reader best: by `Accept-Language` (RFC 9110, 12.5.4), each range looked
 * up by what it begins with (`fr-CA` is `fr`: RFC 4647, 3.4). Of equal wishes, the earlier.
 * @param offered language tags; `*` is the first of them that is not refused by `q=0`
 * @returns null when none of them is wanted
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
