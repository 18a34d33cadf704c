/** Reads statements of banks by a few lines, as far as our own files go. Amounts in minor units. */
import assert from 'node:assert/strict'

export type ReadEntry = {
  id: string
  day: string
  /** Above zero in, below zero out. */
  amount: bigint
  isReversal: boolean
  code: string
  reference: string
}
export type ReadStatement = {
  account: string
  currency: string
  opening: bigint
  closing: bigint
  entries: ReadEntry[]
}

const minorOf = (text: string): bigint => BigInt(text.replace(/[.,]/, ''))

export function readCamt(text: string): ReadStatement {
  const of = (part: string, name: string): string =>
    new RegExp(`<${name}[^>]*>(.*?)</${name}>`).exec(part)?.[1] ?? ''
  const signed = (part: string): bigint =>
    minorOf(of(part, 'Amt')) * (of(part, 'CdtDbtInd') === 'CRDT' ? 1n : -1n)
  const [opening = '', closing = ''] = [...text.matchAll(/<Bal>.*?<\/Bal>/g)].map(([one]) => one)
  assert.match(opening, /<Cd>OPBD</)
  assert.match(closing, /<Cd>CLBD</)
  const entries = [...text.matchAll(/<Ntry>.*<\/Ntry>/g)].map(([one]) => ({
    id: of(one, 'NtryRef'),
    day: of(of(one, 'BookgDt'), 'Dt'),
    amount: signed(one),
    isReversal: one.includes('<RvslInd>true<'),
    code: [...of(one, 'BkTxCd').matchAll(/>([A-Z]{4})</g)].map(([, code]) => code).join('/'),
    reference: of(one, 'EndToEndId'),
  }))
  assert.match(text, /<\/Document>\n$/)
  return {
    account: of(of(text, 'Acct'), 'Id').replace(/.*<Id>/, ''),
    currency: of(text, 'Ccy'),
    opening: signed(opening),
    closing: signed(closing),
    entries,
  }
}

const balance = /^:(6[02][FM]):([CD])(\d{6})([A-Z]{3})(\d+,\d\d)$/
const movement = /^:61:(\d{6})\d{4}([CD])(\d+,\d\d)N([A-Z]{3})(.+)\/\/(\d+)$/

/** Reads all pages as one statement, and asserts the rules of each page. */
export function readMt940(text: string): ReadStatement & { pages: number } {
  const read: ReadStatement = { account: '', currency: '', opening: 0n, closing: 0n, entries: [] }
  const pages = text.split(/(?<=^-\r\n)/m)
  let held = 0n
  for (const [at, page] of pages.entries()) {
    assert.ok(page.length <= 2_000, `a page of ${page.length}`)
    const lines = page.split('\r\n')
    assert.deepEqual(lines.slice(-2), ['-', ''])
    for (const line of lines.slice(0, -2)) {
      assert.match(line, /^(:\d\d[A-Z]?:[A-Za-z0-9/\-?:().,'+ ]{1,65}|(?![:-])[^:].{0,64})$/, line)
      assert.match(line, /^[A-Za-z0-9/\-?:().,'+ ]+$/, line)
      const [, tag, mark, , currency = '', amount = ''] = balance.exec(line) ?? []
      if (tag) {
        const signed = minorOf(amount) * (mark === 'C' ? 1n : -1n)
        if (tag[1] === '0' && at === 0) read.opening = held = signed
        else assert.equal(signed, held, line)
        const last = tag[1] === '0' ? at === 0 : at === pages.length - 1
        assert.equal(tag[2], last ? 'F' : 'M', line)
        Object.assign(read, { currency, closing: signed })
      }
      const [, day = '', side, moved = '', code = '', reference = '', id = ''] =
        movement.exec(line) ?? []
      if (!id) continue
      const change = minorOf(moved) * (side === 'C' ? 1n : -1n)
      held += change
      read.entries.push({
        id,
        day: `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4)}`,
        amount: change,
        isReversal: false,
        code,
        reference,
      })
    }
    assert.equal(lines[2], `:28C:${lines[2]?.slice(5, 10)}/${at + 1}`)
    read.account = lines[1]?.slice(4) ?? ''
  }
  return { ...read, pages: pages.length }
}
