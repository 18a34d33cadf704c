/** Checks files of evidence by their content. */
import { readImage } from '../../lib/images.ts'
import type { FileType } from '../../rails/ports/disputes.ts'
import { mostFileBytes } from './schema.ts'

const pictureLimits = { bytes: mostFileBytes, least: 1, most: 4_096 }

/**
 * Reads a PDF, PNG or JPEG. A picture loses its metadata, such as the place where it was taken.
 * @returns the file, or what is wrong with it, to follow its name
 */
export function readEvidenceFile(file: Buffer): { type: FileType; content: Buffer } | string {
  if (file.length > mostFileBytes) return 'is larger than 1 MiB'
  if (file.subarray(0, 5).toString('latin1') === '%PDF-') return readPdf(file)
  const image = readImage(file, pictureLimits)
  const unknown = 'is no PDF, PNG or JPEG file'
  if (typeof image === 'string') return image.startsWith('is no ') ? unknown : image
  return image.type === 'image/webp' ? unknown : { type: image.type, content: image.content }
}

function readPdf(file: Buffer): { type: FileType; content: Buffer } | string {
  if (!/^%PDF-[12]\.\d/.test(file.toString('latin1', 0, 8))) return 'is a damaged PDF'
  if (!file.subarray(-1_024).includes('%%EOF')) return 'is a PDF that is cut off'
  if (file.includes('/Encrypt')) return 'is a PDF with a password: save it without'
  return { type: 'application/pdf', content: file }
}
