/**
 * Validates uploaded images and removes everything but the picture, such as metadata, profiles and
 * appended data. PNG: https://www.w3.org/TR/png-3/. JPEG: ITU-T T.81, B. WebP: RFC 9649.
 */
import { crc32, inflateSync } from 'node:zlib'

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp'
export type Image = { type: ImageType; width: number; height: number; content: Buffer }

/** An invalid image; the message follows its name. */
class ImageError extends Error {}

const fail = (problem: string): never => {
  throw new ImageError(problem)
}

/**
 * @param limits the bytes of the file, and the pixels of the shorter and the longer side
 * @returns the cleaned image, or the error, such as 'is no PNG, JPEG or WebP picture'
 */
export function readImage(
  file: Buffer,
  limits: { bytes: number; least: number; most: number },
): Image | string {
  if (file.length > limits.bytes) return `is larger than ${limits.bytes / 1_024} KiB`
  try {
    const image = partsOf(file, ({ width, height }) => {
      if (Math.min(width, height) < limits.least || Math.max(width, height) > limits.most)
        fail(
          `is ${width} × ${height} pixels; each side must have ${limits.least} to ${limits.most}`,
        )
    })
    return image ?? 'is no PNG, JPEG or WebP picture'
  } catch (error) {
    if (error instanceof ImageError) return error.message
    // A read beyond the end.
    if (error instanceof RangeError) return 'is cut off, or damaged'
    throw error
  }
}

type Size = { width: number; height: number }

function partsOf(file: Buffer, check: (size: Size) => void): Image | null {
  if (file.subarray(0, 8).equals(pngSignature)) return png(file, check)
  if (file.length > 3 && file.readUInt16BE(0) === 0xffd8 && file[2] === 0xff)
    return jpeg(file, check)
  if (file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP')
    return webp(file, check)
  return null
}

// PNG
// -------------------------------------------------------------------------------------------------

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')
const damagedPng = 'is a damaged PNG picture'
/** Samples per pixel by colour type. */
const samples: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const depths: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}

function png(file: Buffer, check: (size: Size) => void): Image {
  const kept: Buffer[] = [pngSignature]
  const data: Buffer[] = []
  let head: Buffer | null = null
  let palette = false
  for (let at = 8, type = ''; type !== 'IEND'; ) {
    const length = file.readUInt32BE(at)
    const whole = file.subarray(at, at + 12 + length)
    if (whole.length < 12 + length) fail(damagedPng)
    type = whole.toString('latin1', 4, 8)
    if (crc32(whole.subarray(4, 8 + length)) !== whole.readUInt32BE(8 + length)) fail(damagedPng)
    const content = whole.subarray(8, 8 + length)
    if (head === null) {
      if (type !== 'IHDR' || length !== 13) fail(damagedPng)
      head = content
      check({ width: head.readUInt32BE(0), height: head.readUInt32BE(4) })
    } else if (type === 'IHDR') fail(damagedPng)
    if (type === 'acTL') fail('moves: take a picture that stands still')
    if (type === 'IDAT') data.push(content)
    palette ||= type === 'PLTE'
    if (['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].includes(type)) kept.push(whole)
    at += 12 + length
  }
  const { width, height } = checkPixels(head as Buffer, Buffer.concat(data), palette)
  return { type: 'image/png', width, height, content: Buffer.concat(kept) }
}

/**
 * Checks compressed pixels without unpacking more than the image size needs: a few bytes can expand
 * to gigabytes.
 */
function checkPixels(head: Buffer, data: Buffer, palette: boolean): Size {
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)]
  const [depth = 0, color = 0, compression, filter, interlace] = head.subarray(8)
  if (!depths[color]?.includes(depth) || compression !== 0 || filter !== 0) fail(damagedPng)
  if (interlace !== 0) fail('is an interlaced PNG: save it without interlacing')
  if (color === 3 && !palette) fail(damagedPng)
  const row = 1 + Math.ceil((width * depth * (samples[color] as number)) / 8)
  let pixels: Buffer
  try {
    pixels = inflateSync(data, { maxOutputLength: row * height })
  } catch {
    return fail(damagedPng)
  }
  if (pixels.length !== row * height) fail(damagedPng)
  for (let at = 0; at < pixels.length; at += row) if ((pixels[at] as number) > 4) fail(damagedPng)
  return { width, height }
}

// JPEG
// -------------------------------------------------------------------------------------------------

const damagedJpeg = 'is a damaged JPEG picture'

function jpeg(file: Buffer, check: (size: Size) => void): Image {
  const kept: Buffer[] = [file.subarray(0, 2)]
  let size: Size | null = null
  let scans = 0
  for (let at = 2; ; ) {
    if (file.readUInt8(at) !== 0xff) fail(damagedJpeg)
    const marker = file.readUInt8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === 0xd9) break
    const end = at + 2 + file.readUInt16BE(at + 2)
    const segment = file.subarray(at, end)
    if (end > file.length || segment.length < 4) fail(damagedJpeg)
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      if (size !== null) fail(damagedJpeg)
      size = frameOf(marker, segment)
      check(size)
    }
    // JFIF and Adobe segments define the colours; other segments and comments are removed.
    const noted =
      (marker >= 0xe0 && marker <= 0xef && marker !== 0xe0 && marker !== 0xee) || marker === 0xfe
    if (!noted) kept.push(segment)
    at = end
    if (marker !== 0xda) continue
    if (size === null) fail(damagedJpeg)
    scans += 1
    // Within a scan, 0xff is followed by 0 or a restart marker.
    while (file.readUInt8(at) !== 0xff || [0, ...restarts].includes(file.readUInt8(at + 1))) at += 1
    kept.push(file.subarray(end, at))
  }
  if (size === null || scans === 0) return fail(damagedJpeg)
  return {
    type: 'image/jpeg',
    ...size,
    content: Buffer.concat([...kept, Buffer.from([0xff, 0xd9])]),
  }
}

const restarts = [0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7]

function frameOf(marker: number, segment: Buffer): Size {
  if (marker > 0xc2)
    fail('is a JPEG that few browsers show: save it as an ordinary or progressive one')
  const components = segment.readUInt8(9)
  if (components !== 1 && components !== 3) fail('is a JPEG for printing: save it in RGB or grey')
  const [height, width] = [segment.readUInt16BE(5), segment.readUInt16BE(7)]
  return { width, height }
}

// WebP
// -------------------------------------------------------------------------------------------------

const damagedWebp = 'is a damaged WebP picture'

function webp(file: Buffer, check: (size: Size) => void): Image {
  const end = 8 + file.readUInt32LE(4)
  if (end > file.length) fail(damagedWebp)
  let alpha: Buffer | null = null
  let picture: Buffer | null = null
  for (let at = 12; at < end; ) {
    const type = file.toString('latin1', at, at + 4)
    const length = file.readUInt32LE(at + 4)
    const whole = file.subarray(at, at + 8 + length + (length % 2))
    if (at + whole.length > end || whole.length < 8 + length) fail(damagedWebp)
    if (type === 'ANIM' || type === 'ANMF') fail('moves: take a picture that stands still')
    if (type === 'ALPH') alpha = whole
    if (type === 'VP8 ' || type === 'VP8L') {
      if (picture !== null) fail(damagedWebp)
      picture = whole
    }
    at += whole.length
  }
  if (picture === null) return fail(damagedWebp)
  const size = webpSize(picture)
  check(size)
  const lossy = picture.toString('latin1', 0, 4) === 'VP8 '
  const chunks = alpha && lossy ? [extended(size), alpha, picture] : [picture]
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return { type: 'image/webp', ...size, content: Buffer.concat([head, body]) }
}

function webpSize(picture: Buffer): Size {
  const data = picture.subarray(8)
  if (picture.toString('latin1', 0, 4) === 'VP8L') {
    if (data.readUInt8(0) !== 0x2f) fail(damagedWebp)
    const bits = data.readUInt32LE(1)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  // Checks for a key frame and its start code.
  if ((data.readUInt8(0) & 1) !== 0 || data.readUIntBE(3, 3) !== 0x9d012a) fail(damagedWebp)
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}

/** Returns the header chunk of an image with separate transparency. */
function extended({ width, height }: Size): Buffer {
  const chunk = Buffer.alloc(18)
  chunk.write('VP8X', 'latin1')
  chunk.writeUInt32LE(10, 4)
  chunk.writeUInt8(0x10, 8)
  chunk.writeUIntLE(width - 1, 12, 3)
  chunk.writeUIntLE(height - 1, 15, 3)
  return chunk
}
