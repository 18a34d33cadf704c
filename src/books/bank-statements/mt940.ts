/**
 * Writes statements as SWIFT MT940: pages of at most 2,000 characters, each opening with what the
 * page before closed with.
 */
import { type Day, dayAfter, dayInYear } from '../../lib/days.ts'
import { decimalOf } from '../../lib/money.ts'
import { swiftText } from '../../lib/swift-text.ts'
import type { Entry, Head, Writer } from './formats.ts'

/** The characters of a message (SWIFT FIN), and of a line and the lines of field 86. */
const most = { message: 2_000, line: 65, lines: 6, reference: 16 }

/** Each of so many pages has a number of five digits and room for three of the longest entries. */
export const mostMt940Entries = 3n * 99_999n

/** The largest amount of 15 characters with a comma: 999999999999,99. */
export const mostMt940Amount = 99_999_999_999_999n

const shortDay = (day: Day): string => day.slice(2).replaceAll('-', '')
const amountOf = (amount: bigint): string => decimalOf(amount).replace('.', ',')

/** Returns a statement's writer. Lines end in CR and LF, messages in a line with a hyphen. */
export function mt940(head: Head): Writer {
  const { opening, from, to } = head
  let balance = opening
  let page = 0
  let length = 0
  let last: Day = from

  const begin = (): string => {
    page++
    // A first page opens with what the statement before closed with.
    const [tag, day] = page === 1 ? ['60F', dayAfter(from, -1)] : ['60M', last]
    const text = lines([
      `:20:${head.currency.toUpperCase()}${shortDay(from)}${shortDay(to)}`,
      `:25:${head.account}`,
      `:28C:${numberOf(to)}/${page}`,
      balanceLine(tag as string, balance, day as Day, head),
    ])
    length = text.length
    return text
  }
  const close = (tag: '62M' | '62F', day: Day): string =>
    lines([balanceLine(tag, balance, day, head), '-'])

  return {
    start: begin,
    entry(entry) {
      const text = entryOf(entry)
      const full = length + text.length + close('62M', entry.day).length > most.message
      const turn = full ? close('62M', last) + begin() : ''
      length += text.length
      balance += entry.direction === 'credit' ? entry.amount : -entry.amount
      last = entry.day
      return turn + text
    },
    end: () => close('62F', to),
  }
}

const lines = (all: string[]): string => all.map((line) => `${line}\r\n`).join('')

/** The number of a statement: the year's last two digits and the day in it. */
const numberOf = (day: Day): string =>
  `${day.slice(2, 4)}${String(dayInYear(day)).padStart(3, '0')}`

function balanceLine(tag: string, balance: bigint, day: Day, { currency }: Head): string {
  const [mark, amount] = balance < 0n ? ['D', -balance] : ['C', balance]
  return `:${tag}:${mark}${shortDay(day)}${currency.toUpperCase()}${amountOf(amount)}`
}

/**
 * Fields 61 and 86. A reversal is a C or a D with the type RTI, not RC or RD, of which some readers
 * take the wrong sign: `findings/mt940-signs.sh`.
 */
function entryOf({ id, day, amount, direction, code, ...entry }: Entry): string {
  const mark = direction === 'credit' ? 'C' : 'D'
  const date = `${shortDay(day)}${shortDay(day).slice(2)}`
  const { title, reference, party, transaction } = entry
  const details = [title, reference, party?.name, party?.account, transaction]
  return lines([
    `:61:${date}${mark}${amountOf(amount)}N${code.swift}${referenceOf(reference)}//${id}`,
    `:86:${informationOf(details.filter(Boolean).join(' '))}`,
  ])
}

/** The reference for the owner: as a whole, or `NONREF`. A part could be that of another. */
function referenceOf(reference: string | null): string {
  const text = reference ?? ''
  const isOne = text !== '' && text.length <= most.reference && swiftText(text) === text
  return isOne && !/^[\s/:-]|\/\/|[\s/]$/.test(text) ? text : 'NONREF'
}

/** Breaks a text into the lines of field 86. No line begins as a field or as the end of a message. */
function informationOf(text: string): string {
  const broken: string[] = []
  let left = swiftText(text)
  while (left !== '' && broken.length < most.lines) {
    const at = left.length > most.line ? left.lastIndexOf(' ', most.line) : left.length
    const end = at > 0 ? at : most.line
    broken.push(left.slice(0, end).replace(/^[:-]/, '.'))
    left = left.slice(end).trimStart()
  }
  return broken.join('\r\n')
}
