/** Reads forms with files (multipart/form-data) in bounded memory, whatever the size of a file. */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import { generalRefusal } from '../../lib/errors.ts'

/** The most bytes of a body that are read to its end; bytes beyond the form's limit are dropped. */
const mostOfBody = 64 * 1024 * 1024
/** The bytes kept from the end of a body above the limit: the fields behind the file. */
const keptOfEnd = 256 * 1024

/** A form's fields and files; null for a file above the form's limit. */
export type FormParts = { fields: Record<string, string>; files: Record<string, Uint8Array | null> }

/**
 * Reads a browser's form. Of a body above the limit it keeps the start and the end, so that the
 * fields around a large file are known and the form can be shown again.
 * @param limit of the body, in bytes
 * @throws {Refusal} `validation_failed`
 * @throws {FastifyError} `FST_ERR_CTP_BODY_TOO_LARGE` when something other than a file is too
 * large, or the body exceeds 64 MiB
 */
export async function readForm(
  payload: Readable,
  contentType: string,
  limit: number,
): Promise<FormParts> {
  // Marks the cut of the body: the part that contains it is incomplete.
  const cut = randomBytes(16)
  const body = await readEnds(payload, limit, cut)
  const parts = await new Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  })
    .formData()
    .catch(() => {
      throw generalRefusal('validation_failed', 'The form cannot be read.')
    })
  const isCut = body.includes(cut)
  const read: FormParts = { fields: {}, files: {} }
  let isFileCut = false
  for (const [name, part] of parts)
    if (typeof part === 'string') read.fields[name] = part
    else {
      const bytes = new Uint8Array(await part.arrayBuffer())
      const isWhole = !isCut || !Buffer.from(bytes.buffer).includes(cut)
      isFileCut ||= !isWhole
      read.files[name] = isWhole ? bytes : null
    }
  if (isCut && !isFileCut) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  return read
}

/** Reads a body; above the limit, its start and its end with a mark in between. */
async function readEnds(payload: Readable, limit: number, mark: Buffer): Promise<Buffer> {
  const start: Buffer[] = []
  let end: Buffer[] = []
  let size = 0
  let endSize = 0
  // Do not destroy the unread rest, because its connection still gets the answer.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    const room = Math.max(0, limit - size)
    size += chunk.length
    if (size > mostOfBody) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
    if (room > 0) start.push(chunk.subarray(0, room))
    if (chunk.length > room) end.push(chunk.subarray(room))
    endSize += Math.max(0, chunk.length - room)
    if (endSize > 2 * keptOfEnd) {
      end = [Buffer.concat(end).subarray(-keptOfEnd)]
      endSize = keptOfEnd
    }
  }
  return Buffer.concat(size > limit ? [...start, mark, ...end] : start)
}
