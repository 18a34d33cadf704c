/**
 * Decodes files that people upload or keep.
 */

/** A file whose bytes are not text in a known encoding. */
export class EncodingFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EncodingFault'
  }
}

/**
 * Why a file is refused that is not UTF-8, and what to do, for people who have it from a
 * spreadsheet.
 */
const notUtf8 =
  'The file is not UTF-8 text. In Excel, save it as “CSV UTF-8 (Comma delimited)”, and upload it again.'

/**
 * Decodes the bytes of a text: by its byte order mark (UTF-8, UTF-16), otherwise as strict UTF-8.
 * The mark is left out.
 * @throws {EncodingFault} when a byte does not fit, or the text holds U+FFFD, which stands for
 * letters that were lost before
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\uFFFD') && !text.includes('\0')) return text
  } catch {
    // The decoder says no more than that it cannot.
  }
  throw new EncodingFault(notUtf8)
}
