/**
 * Writes the lines of a batch that have no payout as payment orders of ISO 20022
 * (`pain.001.001.09`), for a bank to pay.
 */
import { getBusiness } from '../../books/profiles/profiles.ts'
import type { Ctx } from '../../core/outside.ts'
import { chunks } from '../../lib/csv.ts'
import { dayOf } from '../../lib/days.ts'
import { type Html, type Part, html as xml } from '../../lib/html.ts'
import { decimalOf } from '../../lib/money.ts'
import type { Static } from '../../lib/schema.ts'
import { xmlLine } from '../../lib/xml.ts'
import type { StoredDestination } from '../../platform/destinations/destinations.ts'
import { isOver, unknown } from './batches.ts'
import { readAllLines } from './lines.ts'
import { refuse } from './refusals.ts'
import type { OrdersQuery } from './schema.ts'
import type { BatchRow, ReadLineRow } from './sql.ts'
import * as statements from './sql.ts'

type Placed = { row: ReadLineRow; destination: StoredDestination | null }
type Order = { row: ReadLineRow; amount: bigint; destination: StoredDestination }

/** The lengths of texts in the schema. */
const most = { id: 35, name: 140, text: 140 }
const longestAccount = 34

/**
 * Returns the lines of a batch that are not paid here.
 * @throws {Refusal} `not_found`; `batch_not_exportable` while this server can still pay them, if all
 * is paid, or if a line goes to an address on a blockchain
 */
export function ordersOf(
  ctx: Ctx,
  id: string,
  query: Static<typeof OrdersQuery>,
): Promise<AsyncIterable<string>> {
  return ctx.snapshot(async (view) => {
    const batch = (await view.row(statements.selectBatch, [id])) ?? unknown(id)
    // What this server can still pay, a bank must not pay too.
    if (!isOver(batch))
      refuse(
        'batch_not_exportable',
        `The batch is ${batch.status}, so that this server can still pay its lines: cancel it first.`,
      )
    const all = await readAllLines(view, batch)
    const orders = all.filter(({ row }) => isUnpaid(row)).map(orderOf)
    if (orders.length === 0)
      refuse('batch_not_exportable', 'No line of the batch is left that a bank could pay.')
    const { name, time_zone } = await getBusiness(view)
    const { now } = view.scope
    const head = { batch, name, day: dayOf(now, time_zone), now, query }
    return chunks([headOf(head, orders), ...orders.map((one) => transferOf(one, batch)), foot])
  })
}

/** A line that neither this batch nor a retry of it pays. */
const isUnpaid = ({ status, retried_in }: ReadLineRow): boolean =>
  ['waiting', 'refused', 'canceled'].includes(status) && retried_in === null

function orderOf({ row, destination }: Placed): Order {
  if (row.amount === null || !destination?.account_number)
    return refuse(
      'batch_not_exportable',
      `Line ${row.line} has no bank account: a bank cannot pay it.`,
    )
  return { row, amount: row.amount, destination }
}

type Head = {
  batch: BatchRow
  name: string
  day: string
  now: Date
  query: Static<typeof OrdersQuery>
}

const foot = '</PmtInf></CstmrCdtTrfInitn></Document>\n'

function headOf({ batch, name, day, now, query }: Head, orders: Order[]): string {
  const sum = decimalOf(orders.reduce((all, { amount }) => all + amount, 0n))
  const sums = xml`<NbOfTxs>${String(orders.length)}</NbOfTxs><CtrlSum>${sum}</CtrlSum>`
  const party = xml`<Nm>${xmlLine(name, most.name)}</Nm>`
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
${xml`<GrpHdr><MsgId>${batch.id}</MsgId><CreDtTm>${now.toISOString()}</CreDtTm>${sums}<InitgPty>${party}</InitgPty></GrpHdr>`}
${xml`<PmtInf><PmtInfId>${batch.id}</PmtInfId><PmtMtd>TRF</PmtMtd>${sums}<ReqdExctnDt><Dt>${day}</Dt></ReqdExctnDt><Dbtr>${party}</Dbtr><DbtrAcct><Id>${debtorOf(query.debtor_account)}</Id></DbtrAcct><DbtrAgt><FinInstnId>${agentOf(query.debtor_bank)}</FinInstnId></DbtrAgt>`}
`
}

const debtorOf = (account: string): Html =>
  /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
    ? xml`<IBAN>${account}</IBAN>`
    : xml`<Othr><Id>${account}</Id></Othr>`

/** A bank by its BIC (ISO 9362), by its code in the clearing, or unnamed. */
function agentOf(bank: string | undefined): Html {
  if (bank === undefined) return xml`<Othr><Id>NOTPROVIDED</Id></Othr>`
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(bank)
    ? xml`<BICFI>${bank}</BICFI>`
    : xml`<ClrSysMmbId><MmbId>${bank}</MmbId></ClrSysMmbId>`
}

function transferOf({ row, amount, destination }: Order, { id, currency }: BatchRow): string {
  const { reference, line, input } = row
  // A part of a reference could be that of another payment.
  const isWhole = reference !== null && reference.length <= most.id
  const endToEnd = isWhole ? reference : `${id}-${line}`
  const remittance = typeof input.description === 'string' ? input.description : (reference ?? '')
  const holder = destination.resolved_account_name ?? destination.account_name
  const party = holder !== undefined && xml`<Nm>${xmlLine(holder, most.name)}</Nm>`
  return xml`<CdtTrfTxInf><PmtId><EndToEndId>${endToEnd}</EndToEndId></PmtId><Amt><InstdAmt Ccy="${currency.toUpperCase()}">${decimalOf(amount)}</InstdAmt></Amt><CdtrAgt><FinInstnId>${bankOf(destination)}</FinInstnId></CdtrAgt>${party && xml`<Cdtr>${party}</Cdtr>`}<CdtrAcct>${accountOf(destination)}</CdtrAcct>${remittance !== '' && xml`<RmtInf><Ustrd>${xmlLine(remittance, most.text)}</Ustrd></RmtInf>`}</CdtTrfTxInf>
`.toString()
}

function bankOf({ country, bank_code, routing_number, bank_name }: StoredDestination): Part[] {
  const isAmerican = country === 'us'
  return [
    xml`<ClrSysMmbId>${isAmerican && xml`<ClrSysId><Cd>USABA</Cd></ClrSysId>`}<MmbId>${isAmerican ? routing_number : bank_code}</MmbId></ClrSysMmbId>`,
    bank_name !== undefined && xml`<Nm>${xmlLine(bank_name, most.name)}</Nm>`,
  ]
}

function accountOf({ account_number, account_type }: StoredDestination): Part[] {
  const kind = account_type === 'savings' ? 'SVGS' : 'CACC'
  return [
    xml`<Id><Othr><Id>${(account_number ?? '').slice(0, longestAccount)}</Id></Othr></Id>`,
    account_type !== undefined && xml`<Tp><Cd>${kind}</Cd></Tp>`,
  ]
}
