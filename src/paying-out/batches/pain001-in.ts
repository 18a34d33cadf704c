/**
 * Reads payment orders of ISO 20022 (`pain.001.001.09`) as lines of a batch.
 * https://www.iso20022.org/iso-20022-message-definitions?business-domain=1
 */
import { minorOf, type WalletCurrency } from '../../lib/money.ts'
import { childrenOf, elementAt, readXml, textAt, type XmlElement, XmlFault } from '../../lib/xml.ts'
import { mostLines } from './schema.ts'

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
const mostNamed = 10

/** A payment of the file, in the form of a line that the API takes. */
export type OrderLine = {
  row: number
  reference?: string
  amount: number
  description?: string
  destination: Record<string, string>
}

/** What is wrong with a file, in sentences. */
export class OrderFault extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'OrderFault'
  }
}

const fail = (problem: string): never => {
  throw new OrderFault(problem)
}

/**
 * Returns the payments of a file, all or none.
 * @param currency the wallet to pay from, in which all amounts must be
 * @throws {OrderFault} if it is no such file, a sum or a count differs, or a payment cannot be read
 */
export function readPain001(text: string, currency: WalletCurrency): OrderLine[] {
  const order = orderIn(text)
  const header = elementAt(order, 'GrpHdr') ?? fail('GrpHdr is missing.')
  const payments = childrenOf(order, 'PmtInf')
  const found = payments.flatMap((payment) =>
    childrenOf(payment, 'CdtTrfTxInf').map((one) => ({ payment, one })),
  )
  if (found.length === 0) fail('There is no payment in the file.')
  if (found.length > mostLines)
    fail(`The file has ${found.length} payments. A batch has ${mostLines} at most.`)
  const problems: string[] = []
  const lines = found.map(({ payment, one }, at) => {
    try {
      return lineOf(payment, one, { row: at + 1, currency })
    } catch (error) {
      if (!(error instanceof OrderFault)) throw error
      const reference = textAt(one, 'PmtId/EndToEndId')
      const named = reference === undefined ? '' : ` (${reference.slice(0, 35)})`
      problems.push(`Payment ${at + 1}${named}: ${error.message}`)
      return null
    }
  })
  if (problems.length > 0) failAll(problems)
  const good = lines.filter((line) => line !== null)
  assertSums(header, payments, good)
  return good
}

function failAll(problems: string[]): never {
  const more = problems.length - mostNamed
  throw new OrderFault(
    [...problems.slice(0, mostNamed), ...(more > 0 ? [`And ${more} more.`] : [])].join(' '),
  )
}

function orderIn(text: string): XmlElement {
  try {
    const root = readXml(text)
    if (root.namespace !== namespace || root.name !== 'Document')
      fail(
        `The file is no pain.001.001.09: its first element is ${root.name} of ${root.namespace || 'no namespace'}.`,
      )
    return elementAt(root, 'CstmrCdtTrfInitn') ?? fail('CstmrCdtTrfInitn is missing.')
  } catch (error) {
    if (error instanceof XmlFault) return fail(`${error.message}.`)
    throw error
  }
}

/** Compares counts and control sums of the file, and of each part of it, with its payments. */
function assertSums(header: XmlElement, payments: XmlElement[], lines: OrderLine[]): void {
  if (textAt(header, 'NbOfTxs') === undefined) fail('NbOfTxs of GrpHdr is missing.')
  assertSum(header, 'GrpHdr', lines)
  let at = 0
  for (const [place, payment] of payments.entries()) {
    const count = childrenOf(payment, 'CdtTrfTxInf').length
    const name = textAt(payment, 'PmtInfId') ?? String(place + 1)
    assertSum(payment, `PmtInf ${name.slice(0, 35)}`, lines.slice(at, at + count))
    at += count
  }
}

function assertSum(part: XmlElement, name: string, lines: OrderLine[]): void {
  const count = textAt(part, 'NbOfTxs')
  if (count !== undefined && count !== String(lines.length))
    fail(`${name} says ${count.slice(0, 20)} payments (NbOfTxs), and has ${lines.length}.`)
  const said = textAt(part, 'CtrlSum')
  if (said === undefined) return
  const sum = lines.reduce((all, { amount }) => all + BigInt(amount), 0n)
  if (exactly(said) !== sum)
    fail(`${name} says a sum of ${said.slice(0, 30)} (CtrlSum), and its amounts come to another.`)
}

/** An amount in minor units; null if it is no amount of two decimals. More zeros are none. */
function exactly(text: string): bigint | null {
  try {
    return minorOf(text.replace(/^\+/, ''))
  } catch {
    return null
  }
}

type Asked = { row: number; currency: WalletCurrency }

function lineOf(payment: XmlElement, one: XmlElement, { row, currency }: Asked): OrderLine {
  if (textAt(payment, 'PmtMtd') !== 'TRF') fail('its PmtMtd is not TRF, a transfer.')
  if ((textAt(one, 'ChrgBr') ?? textAt(payment, 'ChrgBr')) === 'DEBT')
    fail('ChrgBr DEBT is not possible: the fee of a payout comes out of its amount.')
  const reference = textAt(one, 'PmtId/EndToEndId')
  const description = remittanceOf(one)
  return {
    row,
    ...(reference === undefined || reference === 'NOTPROVIDED' ? {} : { reference }),
    amount: amountOf(one, currency),
    ...(description === '' ? {} : { description }),
    destination: destinationOf(one),
  }
}

function amountOf(one: XmlElement, currency: WalletCurrency): number {
  const element = elementAt(one, 'Amt/InstdAmt') ?? fail('it has no InstdAmt.')
  const said = element.attributes.get('Ccy') ?? ''
  if (said !== currency.toUpperCase())
    fail(`its amount is in ${said.slice(0, 3) || 'no currency'}, not in ${currency.toUpperCase()}.`)
  const amount = exactly(element.text.trim())
  if (amount === null || amount <= 0n || amount > BigInt(Number.MAX_SAFE_INTEGER))
    return fail(`InstdAmt ${element.text.trim().slice(0, 30)} is no amount such as 1500.50.`)
  return Number(amount)
}

/** The remittance information, and the creditor's own reference. */
const remittanceOf = (one: XmlElement): string => {
  const info = elementAt(one, 'RmtInf')
  if (info === undefined) return ''
  const texts = childrenOf(info, 'Ustrd').map(({ text }) => text.trim())
  const references = childrenOf(info, 'Strd').map((strd) => textAt(strd, 'CdtrRefInf/Ref') ?? '')
  return [...texts, ...references].filter(Boolean).join(' ').slice(0, 500)
}

const accountTypes: Record<string, string> = { CACC: 'checking', SVGS: 'savings' }

/**
 * The account of the creditor. The clearing system USABA of the external code set
 * ClearingSystemIdentification means a bank in the United States; any other bank code, Nigeria.
 */
function destinationOf(one: XmlElement): Record<string, string> {
  if (textAt(one, 'CdtrAcct/Id/IBAN') !== undefined)
    fail('an IBAN cannot be paid: CdtrAcct/Id/Othr/Id is needed.')
  const account = textAt(one, 'CdtrAcct/Id/Othr/Id') ?? fail('CdtrAcct/Id/Othr/Id is missing.')
  const bank =
    textAt(one, 'CdtrAgt/FinInstnId/ClrSysMmbId/MmbId') ??
    fail('CdtrAgt/FinInstnId/ClrSysMmbId/MmbId, the code of the bank, is missing.')
  const holder = textAt(one, 'Cdtr/Nm')
  const named = holder === undefined ? {} : { account_name: holder }
  if (textAt(one, 'CdtrAgt/FinInstnId/ClrSysMmbId/ClrSysId/Cd') !== 'USABA')
    return { bank_code: bank, account_number: account, ...named }
  const type = accountTypes[textAt(one, 'CdtrAcct/Tp/Cd') ?? '']
  return {
    country: 'us',
    routing_number: bank,
    account_number: account,
    ...named,
    account_type: type ?? fail('CdtrAcct/Tp/Cd must be CACC (checking) or SVGS (savings).'),
  }
}
