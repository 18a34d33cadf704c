/**
 * Whether a document names a person. Providers write one name in many ways: in capitals, surname first, with the names between or without.
 */

/** Letters of Nigerian and neighbouring languages, and of European ones, that are of one piece and mean another. */
const plainLetters: Record<string, string> = {
  ...{ ɓ: 'b', ɗ: 'd', ɖ: 'd', ƙ: 'k', ƴ: 'y', ŋ: 'n', ɛ: 'e', ǝ: 'e', ə: 'e', ɔ: 'o', ʋ: 'v' },
  ...{ ı: 'i', ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l', ð: 'd', þ: 'th' },
}

/** The words of a name: without capitals, diacritics and apostrophes; a hyphen, a point and a blank divide them. */
export function wordsOfName(name: string): string[] {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/\p{M}|['’‘ʼʹ`´]/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/gu, (letter) => plainLetters[letter] ?? letter)
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A name as a document has it. `given` are all that are not of the family. */
export type NameOnDocument = { given: string[]; family: string }

/**
 * Whether a document is of somebody of this name. Each word that was given must be one of the document's, in any order and as often as
 * there; and of the document's family name, and of its other names, one word at least must be among them. So names between may be left out,
 * and no initial stands for a name.
 */
export function namesAgree(given: { firstName: string; lastName: string }, document: NameOnDocument): boolean {
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
    (one, at) => family.includes(one) && said.some((other, place) => place !== at && others.includes(other)),
  )
}
