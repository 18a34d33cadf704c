/**
 * Reads XML documents of data: no document type, no entities of its own, no processing instructions.
 */
import { SaxesParser } from 'saxes'

export type XmlElement = {
  /** The name without its prefix, and the namespace that the prefix stands for. */
  name: string
  namespace: string
  attributes: ReadonlyMap<string, string>
  children: readonly XmlElement[]
  /** The texts directly in it, joined. */
  text: string
}

/** What is wrong with a document, and where. */
export class XmlFault extends Error {}

const deepest = 64

type Building = Omit<XmlElement, 'children' | 'text'> & { children: Building[]; text: string }

/**
 * Returns the root element of a document.
 * @throws {XmlFault} for a document that is not well-formed, has a document type, or is not UTF-8
 */
export function readXml(document: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true })
  const fail = (problem: string): never => {
    throw new XmlFault(`Line ${parser.line}, column ${parser.columnIndex}: ${problem}`)
  }
  const open: Building[] = []
  let root: Building | null = null
  const addText = (text: string): void => {
    const inside = open.at(-1)
    if (inside) inside.text += text
  }
  parser.on('error', ({ message }) => fail(message.replace(/^[\d:]+ /, '').replace(/\.$/, '')))
  parser.on('doctype', () => fail('a document type is not read'))
  parser.on('processinginstruction', () => fail('a processing instruction is not read'))
  parser.on('xmldecl', ({ version, encoding }) => {
    if (version !== '1.0') fail('only XML 1.0 is read')
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding))
      fail(`the encoding ${encoding} is not read: save the file as UTF-8`)
  })
  parser.on('opentag', ({ local, uri, attributes }) => {
    if (open.length >= deepest) fail('elements are nested too deeply')
    const values = Object.values(attributes).map(({ name, value }) => [name, value] as const)
    const element: Building = {
      name: local,
      namespace: uri,
      attributes: new Map(values),
      children: [],
      text: '',
    }
    if (open.length === 0) root = element
    else open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => void open.pop())
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.write(document).close()
  return (root as Building | null) ?? fail('there is no element')
}

/** Returns the children of a name. */
export const childrenOf = ({ children }: XmlElement, wanted: string): XmlElement[] =>
  children.filter(({ name: own }) => own === wanted)

/** Returns the first element at a path such as `CdtrAcct/Id/Othr`, or undefined. */
export const elementAt = (from: XmlElement, path: string): XmlElement | undefined =>
  path
    .split('/')
    .reduce<XmlElement | undefined>(
      (at, wanted) => at?.children.find(({ name: own }) => own === wanted),
      from,
    )

/** Returns the text of the first element at a path without spaces around it, or undefined. */
export const textAt = (from: XmlElement, path: string): string | undefined =>
  elementAt(from, path)?.text.trim() || undefined

/** Returns a text as one line that XML can carry, in at most so many characters. */
export function xmlLine(text: string, length: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\ufffe\uffff\s]+/gu, ' ')
    .trim()
    .slice(0, length)
  return line.isWellFormed() ? line : line.slice(0, -1)
}
