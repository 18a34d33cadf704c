/**
 * Folds names to the words by which they are compared, everywhere: on lists of sanctions, with a
 * bank's name of a holder, on documents, in searches. Providers write one name in many ways: in
 * capitals, surname first, with the names between or without.
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

/** Characters without a width that join, hide a break or turn the direction. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** A text without the characters that nobody sees. */
export const withoutInvisible = (text: string): string => text.replaceAll(invisible, '')

/**
 * A text without capitals, accents and what nobody sees, its letters in ASCII where they are Latin.
 * Signs stay.
 */
export const foldLetters = (text: string): string =>
  withoutInvisible(text.normalize('NFKD'))
    .replaceAll(accent, '')
    .toLowerCase()
    .replaceAll(/\p{L}/gu, (letter) => plainLetters[letter] ?? letter)

const apostrophes = /['’‘‛′ʼʹ`´ʻʽʿʾ＇]/g

/**
 * The ways in which lists and banks write a name: as it is given, with a blank for each apostrophe
 * (`O BRIEN`), and with a lone `o`, `d` or `l` joined to what follows it (`DSOUZA` of `D Souza`).
 */
export const spellingsOf = (name: string): string[] => [
  name,
  name.replaceAll(apostrophes, ' '),
  name.replaceAll(/(?<![\p{L}\p{N}])([odl])\s+(?=\p{L})/giu, '$1'),
]

/**
 * The words of a name: folded, and without apostrophes; a hyphen, a point and a blank divide them.
 */
export function wordsOfName(name: string): string[] {
  // NFKD makes a blank with a mark of an acute accent that stands alone.
  const plain = foldLetters(name.replaceAll(apostrophes, ''))
  return plain.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []
}

/** A name as a document has it. `given` are all that are not of the family. */
export type NameOnDocument = { given: string[]; family: string }

/**
 * Whether a document is of somebody of this name. Each word that was given must be one of the
 * document's, in any order and as often as there; and of the document's family name, and of its
 * other names, one word at least must be among them. So names between may be left out, and no
 * initial stands for a name.
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
