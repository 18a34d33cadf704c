import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chunk, makePng, pictures } from '../../test/support/pictures.ts'
import { type Image, readImage } from './images.ts'

const limits = { bytes: 256 * 1_024, least: 32, most: 1_024 }
const read = (file: Buffer): Image => {
  const image = readImage(file, limits)
  assert.ok(typeof image !== 'string', String(image))
  return image
}
const problem = (file: Buffer): string => {
  const image = readImage(file, limits)
  assert.ok(typeof image === 'string', 'it was taken')
  return image
}

describe('a picture', () => {
  it('is told by its bytes, measured, and kept without what else is in its file', () => {
    const types = {
      png: 'image/png',
      jpeg: 'image/jpeg',
      webp: 'image/webp',
      alpha: 'image/webp',
      lossless: 'image/webp',
    }
    for (const [name, file] of Object.entries(pictures)) {
      const { type, width, height, content } = read(file)
      assert.deepEqual([type, width, height], [types[name as keyof typeof types], 40, 32], name)
      // All but the PNG have a colour profile.
      assert.ok(
        name === 'png' ? content.length <= file.length : content.length < file.length - 400,
        name,
      )
      assert.ok(!content.includes('Google'), name)
      assert.deepEqual(read(content).content, content, `${name}, once more`)
    }
  })

  it('has no text beside it, and nothing behind its end', () => {
    const script = Buffer.from('<script>alert(1)</script>')
    const texts = [
      makePng({ more: [chunk('tEXt', script), chunk('iTXt', script)] }),
      ...Object.values(pictures),
    ]
    for (const file of texts.map((text) => Buffer.concat([text, script])))
      assert.ok(!read(file).content.includes('script'))
    const noted = Buffer.concat([
      pictures.jpeg.subarray(0, 2),
      Buffer.from([0xff, 0xfe, 0, script.length + 2]),
      script,
      pictures.jpeg.subarray(2),
    ])
    assert.ok(!read(noted).content.includes('script'))
  })

  it('is none when it is something else, whatever it is called', () => {
    for (const text of [
      '',
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      'GIF89a',
      '%PDF-1.7',
      '\u0089PNG',
    ])
      assert.equal(problem(Buffer.from(text)), 'is no PNG, JPEG or WebP picture')
  })

  it('is refused when it is too large, too small, or says less than it unpacks to', () => {
    assert.match(problem(Buffer.alloc(limits.bytes + 1)), /larger than 256 KiB/)
    assert.match(problem(makePng({ width: 31 })), /31 × 64 pixels; each side must have 32 to 1024/)
    assert.match(problem(makePng({ height: 1_025 })), /64 × 1025 pixels/)
    assert.match(problem(makePng({ width: 4_294_967_295, bytes: 64 })), /pixels/)
    assert.match(problem(makePng({ bytes: 20_000_000 })), /damaged/)
    assert.match(problem(makePng({ bytes: 10 })), /damaged/)
  })

  it('is refused when it moves, is interlaced, or is for printing', () => {
    assert.match(problem(makePng({ more: [chunk('acTL', Buffer.alloc(8))] })), /moves/)
    assert.match(problem(makePng({ interlace: 1 })), /interlacing/)
    assert.match(problem(makePng({ color: 3 })), /damaged/)
    assert.match(problem(makePng({ depth: 4, color: 6, samples: 4 })), /damaged/)
    const printed = Buffer.from(pictures.jpeg)
    const frame = printed.indexOf(Buffer.from([0xff, 0xc0]))
    printed[frame + 9] = 4
    assert.match(problem(printed), /printing/)
    const moving = Buffer.from(pictures.webp)
    moving.write('ANIM', moving.indexOf('ICCP'), 'latin1')
    assert.match(problem(moving), /moves/)
  })

  it('is refused, or measured, whatever is done to its bytes', () => {
    const files = [makePng(), ...Object.values(pictures)]
    for (const file of files)
      for (let end = 0; end < file.length; end += 7)
        assert.equal(typeof readImage(file.subarray(0, end), limits), 'string')
    const change = fc.tuple(fc.nat(5), fc.nat(2_000), fc.nat(255))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const broken = files.map((file) => Buffer.from(file))
        for (const [which, at, byte] of changes) {
          const file = broken[which] as Buffer
          file[at % file.length] = byte
        }
        for (const file of broken) readImage(file, limits)
      }),
      { numRuns: 300 },
    )
  })
})
