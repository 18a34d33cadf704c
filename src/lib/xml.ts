/**
 * Reads XML documents of data, strictly: no document type, no entities of its own, no processing
 * instructions.
 */

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
export class XmlFault extends Error {
  constructor(text: string, at: number, problem: string) {
    const before = text.slice(0, at)
    const line = before.split('\n').length
    super(`Line ${line}, column ${at - before.lastIndexOf('\n')}: ${problem}`)
    this.name = 'XmlFault'
  }
}

const deepest = 64
const name = '[\\p{L}_][\\p{L}\\p{M}\\p{N}._-]*'
const qualified = `(?:(${name}):)?(${name})`
const patterns = {
  declaration: /<\?xml[ \t\r\n][^<>]*\?>/y,
  comment: /<!--(?:(?!--).)*-->/sy,
  data: /<!\[CDATA\[((?:(?!\]\]>).)*)\]\]>/sy,
  close: new RegExp(`</${qualified}\\s*>`, 'uy'),
  open: new RegExp(`<${qualified}(?=[\\s/>])`, 'uy'),
  attribute: new RegExp(`\\s+${qualified}\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'uy'),
  end: /\s*(\/?)>/y,
  text: /[^<]+/y,
}
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace'

/** Characters that XML 1.0 does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u

type Open = {
  prefix: string | undefined
  element: Omit<XmlElement, 'children' | 'text'> & { children: XmlElement[]; text: string }
  namespaces: ReadonlyMap<string, string>
}

/**
 * Returns the root element of a document.
 * @throws {XmlFault} for a document that is not well-formed, has a document type, or is not UTF-8
 */
export function readXml(document: string): XmlElement {
  const text = document.replace(/^\ufeff/, '').trimEnd()
  return new Reader(text).read()
}

class Reader {
  readonly #text: string
  #at = 0
  readonly #open: Open[] = []
  #root: XmlElement | null = null

  constructor(text: string) {
    this.#text = text
  }

  read(): XmlElement {
    const bad = forbidden.exec(this.#text)
    if (bad) this.#fail('a character that XML does not allow', bad.index)
    const declared = this.#take(patterns.declaration)?.[0] ?? ''
    if (!/^$|version\s*=\s*["']1\.0["']/.test(declared)) this.#fail('only XML 1.0 is read', 0)
    const [, encoding = 'UTF-8'] = /encoding\s*=\s*["']([^"']*)["']/.exec(declared) ?? []
    if (!/^utf-?8$/i.test(encoding))
      this.#fail(`the encoding ${encoding} is not read: save the file as UTF-8`, 0)
    while (this.#at < this.#text.length) this.#step()
    const [unclosed] = this.#open.slice(-1)
    if (unclosed) this.#fail(`<${unclosed.element.name}> is not closed`)
    return this.#root ?? this.#fail('there is no element')
  }

  #step(): void {
    const text = this.#take(patterns.text)?.[0]
    if (text !== undefined) {
      this.#addText(
        text,
        unescapeIn(text, (problem) => this.#fail(problem)),
      )
      return
    }
    if (this.#text.startsWith('<!DOCTYPE', this.#at)) this.#fail('a document type is not read')
    if (this.#take(patterns.comment)) return
    const data = this.#take(patterns.data)
    const closing = data ? null : this.#take(patterns.close)
    const opening = data || closing ? null : this.#take(patterns.open)
    if (data) this.#addText('<', data[1] ?? '')
    else if (closing) this.#close(closing[1], closing[2] as string)
    else if (opening) this.#begin(opening[1], opening[2] as string)
    else this.#fail('this is no XML')
  }

  #addText(raw: string, text: string): void {
    const [inside] = this.#open.slice(-1)
    if (inside) inside.element.text += text
    else if (raw.trim() !== '') this.#fail('there is text outside of the element')
  }

  #begin(prefix: string | undefined, local: string): void {
    const start = this.#at
    if (this.#root) this.#fail('there is more than one element', start)
    if (this.#open.length >= deepest) this.#fail('elements are nested too deeply', start)
    const namespaces = new Map(this.#open.at(-1)?.namespaces ?? [['xml', xmlNamespace]])
    const attributes = new Map<string, string>()
    for (let one = this.#take(patterns.attribute); one; one = this.#take(patterns.attribute)) {
      const [, before, own = '', double, single] = one
      const value = unescapeIn(double ?? single ?? '', (problem) => this.#fail(problem))
      const key = before === undefined ? own : `${before}:${own}`
      if (attributes.has(key)) this.#fail(`the attribute ${key} is there twice`)
      attributes.set(key, value)
      if (key === 'xmlns') namespaces.set('', value)
      if (before === 'xmlns') namespaces.set(own, value)
    }
    const end = this.#take(patterns.end) ?? this.#fail('the element is not written as XML')
    const namespace = namespaces.get(prefix ?? '')
    if (namespace === undefined && prefix !== undefined)
      this.#fail(`the prefix ${prefix} stands for nothing`, start)
    const element = { name: local, namespace: namespace ?? '', attributes, children: [], text: '' }
    this.#open.push({ prefix, element, namespaces })
    if (end[1] === '/') this.#close(prefix, local)
  }

  #close(prefix: string | undefined, local: string): void {
    const last = this.#open.pop()
    if (!last || last.prefix !== prefix || last.element.name !== local)
      throw this.#fault(`</${local}> closes another element`)
    const [parent] = this.#open.slice(-1)
    if (parent) parent.element.children.push(last.element)
    else this.#root = last.element
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found) this.#at = pattern.lastIndex
    return found
  }

  #fault(problem: string, at = this.#at): XmlFault {
    return new XmlFault(this.#text, at, problem)
  }

  #fail(problem: string, at = this.#at): never {
    throw this.#fault(problem, at)
  }
}

/** Replaces the five entities of XML and references to characters. */
function unescapeIn(text: string, fail: (problem: string) => never): string {
  if (!text.includes('&')) return text
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w+));|&/g,
    (all, dec, hex, named) => {
      if (named !== undefined && Object.hasOwn(entities, named)) return entities[named] as string
      const code = dec === undefined ? Number.parseInt(hex ?? '', 16) : Number(dec)
      if (!(code > 0 && code <= 0x10ffff)) return fail(`${all} is no entity of XML`)
      const one = String.fromCodePoint(code)
      return forbidden.test(one) ? fail(`${all} is no character of XML`) : one
    },
  )
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
