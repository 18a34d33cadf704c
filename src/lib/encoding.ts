/** Decodes text files that people upload. */

/** A file whose bytes are no text in a known encoding. */
export class EncodingFault extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'EncodingFault'
  }
}

/** Why a file that is not UTF-8 is refused, and what to do, for users of spreadsheets. */
const notUtf8 =
  'The file is not UTF-8 text. In Excel, save it as “CSV UTF-8 (Comma delimited)”, and upload it again.'

/**
 * Decodes text by its byte order mark (UTF-8, UTF-16), otherwise as strict UTF-8, and removes the
 * mark.
 * @throws {EncodingFault} if a byte is invalid, or the text has U+FFFD, the sign of lost letters
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
    // The decoder gives no details.
  }
  throw new EncodingFault(notUtf8)
}
