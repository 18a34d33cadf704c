/**
 * Reads PDFs back, as text.
 */
import assert from 'node:assert/strict'
import { getDocumentProxy } from 'unpdf'
import type { TestServer } from './harness.ts'

/**
 * The lines of a PDF that the API gives, top to bottom, pieces left to right; each page's after the
 * other's.
 */
export async function linesOfPdf(
  server: TestServer,
  path: string,
  key = server.testKey,
): Promise<string[]> {
  const response = await fetch(`${server.url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  assert.deepEqual(
    [response.status, response.headers.get('content-type')],
    [200, 'application/pdf'],
  )
  return linesIn(new Uint8Array(await response.arrayBuffer()))
}

/** A piece of text, and where it stands: `x` is its left end, `y` rises from the bottom. */
export type Piece = { text: string; x: number; y: number; width: number }

/** The pieces of text of each page of a PDF. */
export async function piecesIn(content: Uint8Array): Promise<Piece[][]> {
  const document = await getDocumentProxy(content)
  const pages: Piece[][] = []
  for (let page = 1; page <= document.numPages; page++) {
    const { items } = await (await document.getPage(page)).getTextContent()
    pages.push(
      items.flatMap((item) => {
        if (!('str' in item) || item.str.trim() === '') return []
        const [, , , , x = 0, y = 0] = item.transform as number[]
        return [{ text: item.str, x, y, width: item.width }]
      }),
    )
  }
  await document.cleanup()
  return pages
}

/** The lines of a PDF, as `linesOfPdf` gives them. */
export async function linesIn(content: Uint8Array): Promise<string[]> {
  const lines: string[] = []
  for (const pieces of await piecesIn(content)) {
    const rows = Map.groupBy(pieces, ({ y }) => pieces.findIndex((one) => Math.abs(one.y - y) < 6))
    const sorted = [...rows.values()].sort((a, b) => (b[0]?.y ?? 0) - (a[0]?.y ?? 0))
    for (const row of sorted)
      lines.push(
        row
          .sort((a, b) => a.x - b.x)
          .map((one) => one.text)
          .join(' '),
      )
  }
  return lines
}

/** Fails unless each of some lines is there. */
export function assertLines(lines: string[], ...wanted: string[]): void {
  for (const line of wanted) assert.ok(lines.includes(line), `${line}:\n${lines.join('\n')}`)
}
