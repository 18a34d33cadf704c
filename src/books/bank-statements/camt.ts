/**
 * Writes statements as `camt.053` of ISO 20022, in the versions 08 and 02.
 * https://www.iso20022.org/iso-20022-message-definitions?business-domain=1
 */
import { type Html, type Part, html as xml } from '../../lib/html.ts'
import { decimalOf } from '../../lib/money.ts'
import { xmlLine } from '../../lib/xml.ts'
import type { Entry, Head, Party, Sum, Writer } from './formats.ts'

type Version = '08' | '02'

/** The lengths of texts in the schemas. */
const most = { id: 35, name: 140, account: 34, text: 140, info: 500 }

const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)
const mark = (isCredit: boolean): string => (isCredit ? 'CRDT' : 'DBIT')

/** Returns a statement's writer. */
export function camt(head: Head, version: Version): Writer {
  return {
    start: () => startOf(head, version),
    entry: (entry) => entryOf(entry, head, version).toString(),
    end: () => '</Stmt></BkToCstmrStmt></Document>\n',
  }
}

const startOf = (head: Head, version: Version): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
${headerOf(head)}
<Stmt><Id>${head.currency.toUpperCase()}-${head.from}-${head.to}</Id>${xml`<CreDtTm>${head.createdAt.toISOString()}</CreDtTm><FrToDt><FrDtTm>${head.begins}</FrDtTm><ToDtTm>${head.ends}</ToDtTm></FrToDt>`}
${accountOf(head)}
${balanceOf(head, 'OPBD')}
${balanceOf(head, 'CLBD')}
${summaryOf(head)}
`

function headerOf({ messageId, createdAt, isTest }: Head): Html {
  const info = isTest && xml`<AddtlInf>Test mode: no real money moved</AddtlInf>`
  return xml`<GrpHdr><MsgId>${messageId}</MsgId><CreDtTm>${createdAt.toISOString()}</CreDtTm>${info}</GrpHdr>`
}

const accountOf = ({ account, currency, owner }: Head): Html =>
  xml`<Acct><Id><Othr><Id>${account}</Id></Othr></Id><Ccy>${currency.toUpperCase()}</Ccy><Ownr><Nm>${xmlLine(owner, most.name)}</Nm></Ownr></Acct>`

const amountOf = (amount: bigint, { currency }: Head): Html =>
  xml`<Amt Ccy="${currency.toUpperCase()}">${decimalOf(absolute(amount))}</Amt>`

function balanceOf(head: Head, type: 'OPBD' | 'CLBD'): Html {
  const [amount, day] = type === 'OPBD' ? [head.opening, head.from] : [head.closing, head.to]
  return xml`<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amountOf(amount, head)}<CdtDbtInd>${mark(amount >= 0n)}</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
}

function summaryOf({ credits, debits }: Head): Html {
  const sumOf = ({ count, amount }: Sum): Html =>
    xml`<NbOfNtries>${String(count)}</NbOfNtries><Sum>${decimalOf(amount)}</Sum>`
  const all = { count: credits.count + debits.count, amount: credits.amount + debits.amount }
  return xml`<TxsSummry><TtlNtries>${sumOf(all)}</TtlNtries><TtlCdtNtries>${sumOf(credits)}</TtlCdtNtries><TtlDbtNtries>${sumOf(debits)}</TtlDbtNtries></TxsSummry>`
}

function entryOf(entry: Entry, head: Head, version: Version): Html {
  const { id, amount, direction, isReversal, day, code, title, transaction } = entry
  const credit = mark(direction === 'credit')
  const status = version === '08' ? xml`<Cd>BOOK</Cd>` : 'BOOK'
  const { domain, family, subfamily } = code
  return xml`<Ntry><NtryRef>${String(id)}</NtryRef>${amountOf(amount, head)}<CdtDbtInd>${credit}</CdtDbtInd>${isReversal && xml`<RvslInd>true</RvslInd>`}<Sts>${status}</Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${transaction}</AcctSvcrRef><BkTxCd><Domn><Cd>${domain}</Cd><Fmly><Cd>${family}</Cd><SubFmlyCd>${subfamily}</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls>${detailsOf(entry, head, version)}</TxDtls></NtryDtls><AddtlNtryInf>${title}</AddtlNtryInf></Ntry>
`
}

/** The own reference as a whole, or, if it is too long for that, as information. */
function detailsOf(entry: Entry, head: Head, version: Version): Part[] {
  const { transaction, reference, amount, direction, party } = entry
  const own = xmlLine(reference ?? '', most.info)
  const endToEnd = own !== '' && own.length <= most.id ? own : 'NOTPROVIDED'
  const moved =
    version === '08' &&
    xml`${amountOf(amount, head)}<CdtDbtInd>${mark(direction === 'credit')}</CdtDbtInd>`
  return [
    xml`<Refs><AcctSvcrRef>${transaction}</AcctSvcrRef><EndToEndId>${endToEnd}</EndToEndId></Refs>`,
    moved,
    party && partyOf(party, entry, version),
    own !== '' && xml`<RmtInf><Ustrd>${xmlLine(own, most.text)}</Ustrd></RmtInf>`,
    own.length > most.text && xml`<AddtlTxInf>${own}</AddtlTxInf>`,
  ]
}

/**
 * Who is at the other side: the debtor of what came, the creditor of what went. A reversal keeps
 * the roles of what it reverses.
 */
function partyOf(
  { name, account }: Party,
  { direction, isReversal }: Entry,
  version: Version,
): Part {
  const isDebtor = (direction === 'credit') !== isReversal
  const named = xmlLine(name ?? '', most.name)
  const who = named !== '' && xml`<Nm>${named}</Nm>`
  const wrapped = who && version === '08' ? xml`<Pty>${who}</Pty>` : who
  // An address on a chain can be longer than an account may be here.
  const at = account !== null && account.length <= most.account && xmlLine(account, most.account)
  const id = at && xml`<Id><Othr><Id>${at}</Id></Othr></Id>`
  if (!who && !id) return false
  return isDebtor
    ? xml`<RltdPties>${wrapped && xml`<Dbtr>${wrapped}</Dbtr>`}${id && xml`<DbtrAcct>${id}</DbtrAcct>`}</RltdPties>`
    : xml`<RltdPties>${wrapped && xml`<Cdtr>${wrapped}</Cdtr>`}${id && xml`<CdtrAcct>${id}</CdtrAcct>`}</RltdPties>`
}
