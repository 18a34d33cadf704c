/**
 * A drawing surface over pdfkit for invoices and statements. Each run of text uses the first font
 * that has its letters.
 */
import { createRequire } from 'node:module'
import { encode } from 'uqr'
import { inVisualOrder, runsFromRight } from './bidi.ts'

export type Style = { size: number; bold?: boolean; color?: string }

export type Canvas = {
  text(text: string, x: number, y: number, style: Style): void
  /**
   * Writes text that ends at `x`.
   * @returns where it begins
   */
  right(text: string, x: number, y: number, style: Style): number
  width(text: string, style: Style): number
  /** Breaks a text into lines between words. */
  break(text: string, width: number, style: Style): string[]
  /**
   * Writes the lines of a text, on a new page if there is no room.
   * @returns the position of the next line
   */
  wrap(text: string, x: number, y: number, width: number, style: Style): number
  link(url: string, x: number, y: number, width: number, style: Style): void
  line(from: number, to: number, y: number, color: string): void
  qr(text: string, x: number, y: number, size: number): void
  /**
   * Draws a PNG or JPEG as large as fits into a box.
   * @returns its height
   */
  picture(content: Uint8Array, x: number, y: number, box: { width: number; height: number }): number
  /**
   * Starts a page.
   * @returns the position of its first line
   */
  page(): number
  /** Returns the number of pages so far. */
  pages(): number
  close(): Promise<Uint8Array>
}

/** A line: the part of its paragraph between two code units. */
type Line = { paragraph: string; from: number; to: number }
type Run = { text: string; font: string }

type Font = { hasGlyphForCodePoint(codePoint: number): boolean }

const fontFile = createRequire(import.meta.url).resolve
const regular = [fontFile('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')]
const bold = [fontFile('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')]
const black = '#12161d'
const top = 56
/** Below this position stands only the page number. */
export const bottom = 770
const foot = 772
const right = 539
export const lineHeight = ({ size }: Style): number => size * 1.4

/**
 * Opens an A4 page. pdfkit is loaded on first use, because it takes ten megabytes.
 * @param moreFonts files with letters that DejaVu Sans lacks
 */
export async function openCanvas(
  moreFonts: string[],
  about: { title: string; author: string; at: Date },
): Promise<Canvas> {
  const { default: PDFDocument } = await import('pdfkit')
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    bufferPages: true,
    info: {
      Title: about.title,
      Author: about.author,
      CreationDate: about.at,
      Producer: 'Bursar',
      Creator: 'Bursar',
    },
  })
  const chunks: Buffer[] = []
  let pages = 1
  document.on('data', (chunk: Buffer) => chunks.push(chunk))
  const stacks = { regular: [...regular, ...moreFonts], bold: [...bold, ...moreFonts] }
  for (const file of [...stacks.regular, ...bold])
    document.registerFont(file, fontFor(PDFDocument, file) as never)

  /**
   * Splits a line into runs from left to right, each with a font that has its letters, or else the
   * first font.
   */
  function runsOf({ paragraph, from, to }: Line, style: Style): Run[] {
    const stack = style.bold ? stacks.bold : stacks.regular
    const first = stack[0] as string
    return inVisualOrder(paragraph, from, to).flatMap((piece) => {
      const runs: Run[] = []
      let last: Run | undefined
      for (const letter of piece) {
        const has = (file: string): boolean =>
          fontOf(document, file).hasGlyphForCodePoint(letter.codePointAt(0) as number)
        const font: string =
          last && (letter === ' ' || has(last.font)) ? last.font : (stack.find(has) ?? first)
        if (last?.font === font) last.text += letter
        else {
          last = { text: letter, font }
          runs.push(last)
        }
      }
      return runsFromRight(piece) ? runs.reverse() : runs
    })
  }

  const widthOf = (text: string, style: Style): number =>
    runsOf(lineOf(text), style).reduce(
      (sum, run) => sum + document.font(run.font, style.size).widthOfString(run.text),
      0,
    )
  const linesIn = (text: string, width: number, style: Style): Line[] =>
    linesOf(text, (part) => widthOf(part, style), width)

  function set(line: Line, x: number, y: number, style: Style): void {
    let at = x
    for (const run of runsOf(line, style)) {
      document.font(run.font, style.size).fillColor(style.color ?? black)
      document.text(run.text, at, y, { lineBreak: false })
      at += document.widthOfString(run.text)
    }
  }

  /** Writes page numbers at the end, when their total is known. */
  function numberPages(): void {
    for (let i = 0; i < pages; i++) {
      document.switchToPage(i)
      canvas.right(`Page ${i + 1} of ${pages}`, right, foot, { size: 8, color: '#5b6472' })
    }
  }

  const canvas: Canvas = {
    text: (text, x, y, style) => set(lineOf(text), x, y, style),
    right(text, x, y, style) {
      const from = x - widthOf(text, style)
      canvas.text(text, from, y, style)
      return from
    },
    width: widthOf,
    break: (text, width, style) =>
      linesIn(text, width, style).map(({ paragraph, from, to }) => paragraph.slice(from, to)),
    wrap(text, x, from, width, style) {
      let y = from
      for (const line of linesIn(text, width, style)) {
        if (y + lineHeight(style) > bottom) y = canvas.page()
        set(line, x, y, style)
        y += lineHeight(style)
      }
      return y
    },
    link(url, x, from, width, style) {
      for (const [i, part] of canvas.break(url, width, style).entries()) {
        const y = from + i * lineHeight(style)
        canvas.text(part, x, y, { ...style, color: '#1d4ed8' })
        document.link(x, y, widthOf(part, style), style.size * 1.3, url)
      }
    },
    line(from, to, y, color) {
      document.moveTo(from, y).lineTo(to, y).lineWidth(0.7).strokeColor(color).stroke()
    },
    qr(text, x, y, size) {
      const { data, size: cells } = encode(text, { border: 0 })
      const cell = size / cells
      data.forEach((row, r) => {
        row.forEach((dark, c) => {
          if (dark) document.rect(x + c * cell, y + r * cell, cell * 1.02, cell * 1.02)
        })
      })
      document.fillColor(black).fill()
    },
    picture(content, x, y, box) {
      // `openImage` is missing from the library's types.
      const image = (
        document as unknown as { openImage(of: Buffer): { width: number; height: number } }
      ).openImage(Buffer.from(content))
      const scale = Math.min(box.width / image.width, box.height / image.height)
      document.image(image as never, x, y, {
        width: image.width * scale,
        height: image.height * scale,
      })
      return image.height * scale
    },
    page() {
      document.addPage({ size: 'A4', margin: 0 })
      pages += 1
      return top
    },
    pages: () => pages,
    close() {
      return new Promise((resolve, reject) => {
        document.on('end', () => resolve(Buffer.concat(chunks)))
        document.on('error', reject)
        numberPages()
        document.end()
      })
    },
  }
  return canvas
}

/** Fonts by their files: to parse one takes about as long as to draw an invoice. */
const parsed = new Map<string, object>()

/**
 * A parsed font with glyphs of the document's own: a glyph keeps the letters that it was first asked
 * for by. pdfkit takes it in place of a file, which its types do not know.
 */
function fontFor(PDFDocument: new (options: object) => PDFKit.PDFDocument, file: string): object {
  const known = parsed.get(file)
  const font = known ?? fontOf(new PDFDocument({ autoFirstPage: false }), file)
  parsed.set(file, font)
  return Object.create(font, { _glyphs: { value: {} } })
}

function fontOf(document: PDFKit.PDFDocument, file: string): Font {
  document.font(file)
  return (document as unknown as { _font: { font: Font } })._font.font
}

/**
 * Longer words are broken: no real word is that long, and marks without width could make one
 * endless.
 */
const longestPiece = 200

function lineOf(text: string): Line {
  const paragraph = text.replaceAll(/\s+/g, ' ')
  return { paragraph, from: 0, to: paragraph.length }
}

/**
 * Breaks a text between words, and a word longer than a line within it. Each word is measured once.
 */
function linesOf(text: string, widthOf: (part: string) => number, width: number): Line[] {
  const space = widthOf(' ')
  const letters = new Map<string, number>()
  const letterWidth = (letter: string): number => {
    const known = letters.get(letter) ?? widthOf(letter)
    letters.set(letter, known)
    return known
  }
  const lines: Line[] = []
  for (const part of text.split('\n')) {
    const words = part.trim().split(/\s+/)
    const paragraph = words.join(' ')
    let [from, to, used] = [0, 0, 0]
    for (const word of words) {
      // A space precedes a word, but not a further piece of one.
      let start = to === 0 ? 0 : to + 1
      for (const [piece, wide] of piecesOf(word, widthOf, letterWidth, width)) {
        const end = start + piece.length
        if (to > from && start > to && used + space + wide <= width) used += space + wide
        else {
          if (to > from) lines.push({ paragraph, from, to })
          from = start
          used = wide
        }
        to = start = end
      }
    }
    lines.push({ paragraph, from, to })
  }
  return lines
}

/** Returns a word, or its pieces that fit on a line, with their widths. */
function piecesOf(
  word: string,
  widthOf: (part: string) => number,
  letterWidth: (letter: string) => number,
  width: number,
): [string, number][] {
  const letters = [...word]
  if (letters.length <= longestPiece) {
    const whole = widthOf(word)
    if (whole <= width) return [[word, whole]]
  }
  const pieces: [string, number][] = []
  let piece = ''
  let used = 0
  let count = 0
  for (const letter of letters) {
    const wide = letterWidth(letter)
    if (piece !== '' && (used + wide > width || count >= longestPiece)) {
      pieces.push([piece, used])
      piece = ''
      used = 0
      count = 0
    }
    piece += letter
    used += wide
    count++
  }
  return [...pieces, [piece, used]]
}
