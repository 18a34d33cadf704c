/**
 * Folds names to words for all comparisons: with sanctions lists, a bank's holder names, documents
 * and searches. Providers write one name in many ways: in capitals, surname first, with or without
 * middle names.
 */

/**
 * Small letters that Unicode does not decompose (NFKD), as ASCII. Source: Unicode CLDR,
 * common/transforms/Latin-ASCII.xml, its letters of living orthographies. The last line is not in
 * it: letters of Kanuri, Akan, Ewe and Azerbaijani, as banks there write them.
 */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  ð: 'd',
  ø: 'o',
  þ: 'th',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ĸ: 'q',
  ł: 'l',
  ŋ: 'n',
  œ: 'oe',
  ŧ: 't',
  ƀ: 'b',
  ƃ: 'b',
  ƈ: 'c',
  ƌ: 'd',
  ƒ: 'f',
  ƕ: 'hv',
  ƙ: 'k',
  ƚ: 'l',
  ƞ: 'n',
  ƣ: 'oi',
  ƥ: 'p',
  ƭ: 't',
  ƴ: 'y',
  ƶ: 'z',
  ǥ: 'g',
  ȥ: 'z',
  ȷ: 'j',
  ⱥ: 'a',
  ȼ: 'c',
  ⱦ: 't',
  ȿ: 's',
  ɀ: 'z',
  ɇ: 'e',
  ɉ: 'j',
  ɍ: 'r',
  ɏ: 'y',
  ɓ: 'b',
  ɖ: 'd',
  ɗ: 'd',
  ɛ: 'e',
  ɠ: 'g',
  ɡ: 'g',
  ɦ: 'h',
  ɨ: 'i',
  ɫ: 'l',
  ɱ: 'm',
  ɲ: 'n',
  ɽ: 'r',
  ʂ: 's',
  ʈ: 't',
  ʉ: 'u',
  ʋ: 'v',
  ⱡ: 'l',
  ᵽ: 'p',
  ⱨ: 'h',
  ⱪ: 'k',
  ⱬ: 'z',
  ⱱ: 'v',
  ⱳ: 'w',
  ꝁ: 'k',
  ꝑ: 'p',
  ǝ: 'e',
  ə: 'e',
  ɔ: 'o',
  ɣ: 'g',
  ɩ: 'i',
  ʊ: 'u',
}

/**
 * Marks that are left out as often as they are written: accents of Latin, Greek and Cyrillic
 * letters, points of Arabic, Hebrew and Syriac ones, and the dot below Devanagari ones. Those of
 * other scripts are their vowels and tones, and stay, as do those that make kana voiced.
 */
const accent =
  /(?![\u3099\u309A])(?:\u093C|(?=\p{M})[\p{Script=Inherited}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}])/gu

/** Characters without a width: they join, hide a break or change the direction. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** Removes invisible characters. */
export const withoutInvisible = (text: string): string => text.replaceAll(invisible, '')

/**
 * Removes case, accents and invisible characters, and converts Latin letters to ASCII. Signs stay.
 */
export const foldLetters = (text: string): string =>
  withoutInvisible(text.normalize('NFKD'))
    .replaceAll(accent, '')
    .toLowerCase()
    .replaceAll(/\p{L}/gu, (letter) => plainLetters[letter] ?? letter)

const apostrophes = /['’‘‛′ʼʹ`´ʻʽʿʾ＇]/g

/**
 * Returns the spellings of a name on lists and at banks: as given, with a blank for each apostrophe
 * (`O BRIEN`), and with a lone `o`, `d` or `l` joined to the next word (`DSOUZA` of `D Souza`).
 */
export const spellingsOf = (name: string): string[] => [
  name,
  name.replaceAll(apostrophes, ' '),
  name.replaceAll(/(?<![\p{L}\p{N}])([odl])\s+(?=\p{L})/giu, '$1'),
]

/** Splits a folded name into words at hyphens, points and blanks; apostrophes are removed. */
export function wordsOfName(name: string): string[] {
  // NFKD turns a separate acute accent into a blank with a mark.
  const plain = foldLetters(name.replaceAll(apostrophes, ''))
  return plain.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
}

/** A document's name. `given`: all names except the family name. */
export type NameOnDocument = { given: string[]; family: string }

/**
 * Whether a document may belong to a person of this name. Each given word must be in the document,
 * in any order and at most as often; and at least one word of the document's family name and one of
 * its other names must be among them. So middle names may be omitted, but an initial does not match
 * a name.
 */
export function namesAgree(
  given: { firstName: string; lastName: string },
  document: NameOnDocument,
): boolean {
  const said = wordsOfName(`${given.firstName} ${given.lastName}`)
  const family = wordsOfName(document.family)
  const others = document.given.flatMap(wordsOfName)
  const left = [...family, ...others]
  for (const word of said) {
    const at = left.indexOf(word)
    if (at < 0) return false
    left.splice(at, 1)
  }
  return said.some(
    (one, at) =>
      family.includes(one) && said.some((other, place) => place !== at && others.includes(other)),
  )
}
