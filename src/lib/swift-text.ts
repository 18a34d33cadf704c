/** Text in the character set of SWIFT messages. */

/** Letters that do not decompose into a Latin letter and marks. */
const letters: Record<string, string> = {
  ß: 'ss',
  Æ: 'AE',
  æ: 'ae',
  Œ: 'OE',
  œ: 'oe',
  Ø: 'O',
  ø: 'o',
  Đ: 'D',
  đ: 'd',
  Ł: 'L',
  ł: 'l',
  ı: 'i',
  Ə: 'E',
  ə: 'e',
  Ɗ: 'D',
  ɗ: 'd',
  Ɓ: 'B',
  ɓ: 'b',
  Ƙ: 'K',
  ƙ: 'k',
  '&': '+',
  _: '-',
  '’': "'",
  '‘': "'",
  '–': '-',
  '—': '-',
}

/**
 * Transliterates a text to the set X of SWIFT: letters without marks, digits and
 * `/ - ? : ( ) . , ' +`. Each other character becomes a dot; whitespace becomes one space.
 * (SWIFT User Handbook, character sets; set X without braces, which delimit blocks.)
 */
export function swiftText(text: string): string {
  return [...text.normalize('NFKD').replaceAll(/\p{M}/gu, '')]
    .map((one) => letters[one] ?? one)
    .join('')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[^A-Za-z0-9/\-?:().,'+ ]/gu, '.')
    .trim()
}
