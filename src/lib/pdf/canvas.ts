/**
 * A drawing surface over pdfkit for invoices and statements. Each run of text uses the first font
 * that has its letters.
 */
import { createRequire } from 'node:module'
import { encode } from 'uqr'
import { inVisualOrder, runsFromRight } from './bidi.ts'

export type Style = { size: number; bold?: boolean; color?: string }

/**
 * Positions are those of a page that is read from left to right. In a document that is read from
 * right to left, the canvas mirrors them: what begins at the left begins at the right.
 */
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
  /** Attaches a file, which readers of PDFs show in a list. */
  attach(name: string, content: Uint8Array): void
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
const pageWidth = 595
export const lineHeight = ({ size }: Style): number => size * 1.4

type About = {
  title: string
  author: string
  at: Date
  /** The number below a page; in English unless it says otherwise. */
  pageNumber?: (page: string, pages: string) => string
  /** `rtl` mirrors the page. */
  direction?: 'ltr' | 'rtl'
}

/**
 * Opens an A4 page. pdfkit is loaded on first use, because it takes ten megabytes.
 * @param moreFonts files with letters that DejaVu Sans lacks
 */
export async function openCanvas(moreFonts: string[], about: About): Promise<Canvas> {
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
  for (const file of [...regular, ...moreFonts, ...bold])
    document.registerFont(file, fontFor(PDFDocument, file) as never)
  return new PdfCanvas(document, moreFonts, about)
}

/** A document that cannot be drawn because of its own contents, such as a picture. */
export class UndrawableError extends Error {}

/**
 * Draws a whole document.
 * @throws {UndrawableError} where its contents cannot be drawn, which a retry does not change
 */
export async function drawDocument(
  moreFonts: string[],
  about: About,
  draw: (canvas: Canvas) => void,
): Promise<Uint8Array> {
  const canvas = await openCanvas(moreFonts, about)
  try {
    draw(canvas)
    return await canvas.close()
  } catch (cause) {
    const why = (cause as Error).message
    throw new UndrawableError(`A PDF cannot be drawn: ${why}`, { cause })
  }
}

class PdfCanvas implements Canvas {
  readonly #document: PDFKit.PDFDocument
  readonly #fonts: { regular: string[]; bold: string[] }
  readonly #chunks: Buffer[] = []
  readonly #pageNumber: NonNullable<About['pageNumber']>
  readonly #isMirrored: boolean
  #pages = 1

  constructor(document: PDFKit.PDFDocument, moreFonts: string[], about: About) {
    this.#document = document
    this.#pageNumber = about.pageNumber ?? ((page, pages) => `Page ${page} of ${pages}`)
    this.#isMirrored = about.direction === 'rtl'
    this.#fonts = { regular: [...regular, ...moreFonts], bold: [...bold, ...moreFonts] }
    document.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  text(text: string, x: number, y: number, style: Style): void {
    this.#set(lineOf(text), x, y, style)
  }

  right(text: string, x: number, y: number, style: Style): number {
    const from = x - this.width(text, style)
    this.text(text, from, y, style)
    return from
  }

  width(text: string, style: Style): number {
    return this.#widthOf(this.#runsOf(lineOf(text), style), style)
  }

  #widthOf(runs: Run[], { size }: Style): number {
    return runs.reduce(
      (sum, { font, text }) => sum + this.#document.font(font, size).widthOfString(text),
      0,
    )
  }

  break(text: string, width: number, style: Style): string[] {
    return this.#linesIn(text, width, style).map(({ paragraph, from, to }) =>
      paragraph.slice(from, to),
    )
  }

  wrap(text: string, x: number, from: number, width: number, style: Style): number {
    let y = from
    for (const line of this.#linesIn(text, width, style)) {
      if (y + lineHeight(style) > bottom) y = this.page()
      this.#set(line, x, y, style)
      y += lineHeight(style)
    }
    return y
  }

  link(url: string, x: number, from: number, width: number, style: Style): void {
    for (const [i, part] of this.break(url, width, style).entries()) {
      const y = from + i * lineHeight(style)
      const wide = this.width(part, style)
      this.text(part, x, y, { ...style, color: '#1d4ed8' })
      this.#document.link(this.#place(x, wide), y, wide, style.size * 1.3, url)
    }
  }

  line(from: number, to: number, y: number, color: string): void {
    const start = this.#place(from, to - from)
    const end = start + to - from
    this.#document.moveTo(start, y).lineTo(end, y).lineWidth(0.7).strokeColor(color).stroke()
  }

  qr(text: string, x: number, y: number, size: number): void {
    const { data, size: cells } = encode(text, { border: 0 })
    const cell = size / cells
    const start = this.#place(x, size)
    data.forEach((row, r) => {
      row.forEach((dark, c) => {
        if (dark) this.#document.rect(start + c * cell, y + r * cell, cell * 1.02, cell * 1.02)
      })
    })
    this.#document.fillColor(black).fill()
  }

  picture(
    content: Uint8Array,
    x: number,
    y: number,
    box: { width: number; height: number },
  ): number {
    // `openImage` is missing from the library's types.
    const image = (
      this.#document as unknown as { openImage(of: Buffer): { width: number; height: number } }
    ).openImage(Buffer.from(content))
    const scale = Math.min(box.width / image.width, box.height / image.height)
    const [width, height] = [image.width * scale, image.height * scale]
    this.#document.image(image as never, this.#place(x, width), y, { width, height })
    return height
  }

  attach(name: string, content: Uint8Array): void {
    this.#document.file(Buffer.from(content), { name })
  }

  page(): number {
    this.#document.addPage({ size: 'A4', margin: 0 })
    this.#pages += 1
    return top
  }

  pages(): number {
    return this.#pages
  }

  close(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#document.on('end', () => resolve(Buffer.concat(this.#chunks)))
      this.#document.on('error', reject)
      this.#numberPages()
      this.#document.end()
    })
  }

  /** Writes page numbers at the end, when their total is known. */
  #numberPages(): void {
    for (let i = 0; i < this.#pages; i++) {
      this.#document.switchToPage(i)
      const number = this.#pageNumber(String(i + 1), String(this.#pages))
      this.right(number, right, foot, { size: 8, color: '#5b6472' })
    }
  }

  #linesIn(text: string, width: number, style: Style): Line[] {
    return linesOf(text, (part) => this.width(part, style), width)
  }

  /** Returns the left end of something that begins at `x`. */
  #place(x: number, width: number): number {
    return this.#isMirrored ? pageWidth - x - width : x
  }

  #set(line: Line, x: number, y: number, style: Style): void {
    const runs = this.#runsOf(line, style)
    let at = this.#isMirrored ? this.#place(x, this.#widthOf(runs, style)) : x
    for (const run of runs) {
      this.#document.font(run.font, style.size).fillColor(style.color ?? black)
      this.#document.text(run.text, at, y, { lineBreak: false })
      at += this.#document.widthOfString(run.text)
    }
  }

  /**
   * Splits a line into runs from left to right, each with a font that has its letters, or else the
   * first font.
   */
  #runsOf({ paragraph, from, to }: Line, style: Style): Run[] {
    const fonts = style.bold ? this.#fonts.bold : this.#fonts.regular
    const first = fonts[0] as string
    return inVisualOrder(paragraph, from, to).flatMap((piece) => {
      const runs: Run[] = []
      let last: Run | undefined
      for (const letter of piece) {
        const has = (file: string): boolean =>
          fontOf(this.#document, file).hasGlyphForCodePoint(letter.codePointAt(0) as number)
        const font: string =
          last && (letter === ' ' || has(last.font)) ? last.font : (fonts.find(has) ?? first)
        if (last?.font === font) last.text += letter
        else {
          last = { text: letter, font }
          runs.push(last)
        }
      }
      return runsFromRight(piece) ? runs.reverse() : runs
    })
  }
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
