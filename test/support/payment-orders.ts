/** Payment orders (pain.001.001.09) as an accounting program writes them. */

type Transfer = {
  id?: string
  amount?: string
  currency?: string
  bank?: string
  /** The clearing system of the bank. */
  system?: string
  account?: string
  iban?: string
  kind?: string
  name?: string
  text?: string
  charges?: string
}

const escaped = (text: string): string => text.replaceAll(/&(?!\w+;)/g, '&amp;')

export function transferXml({
  id = 'wage-1',
  amount = '100.00',
  currency = 'NGN',
  bank = '058',
  system,
  account = '0123456789',
  iban,
  kind,
  name = 'Ada Obi',
  text,
  charges,
}: Transfer): string {
  const clearing = system ? `<ClrSysId><Cd>${system}</Cd></ClrSysId>` : ''
  const member = bank && `<ClrSysMmbId>${clearing}<MmbId>${bank}</MmbId></ClrSysMmbId>`
  const at = iban ? `<IBAN>${iban}</IBAN>` : `<Othr><Id>${account}</Id></Othr>`
  return `<CdtTrfTxInf><PmtId><EndToEndId>${id}</EndToEndId></PmtId>
      <Amt><InstdAmt Ccy="${currency}">${amount}</InstdAmt></Amt>${charges ? `<ChrgBr>${charges}</ChrgBr>` : ''}
      <CdtrAgt><FinInstnId>${member}</FinInstnId></CdtrAgt>
      <Cdtr><Nm>${escaped(name)}</Nm></Cdtr>
      <CdtrAcct><Id>${at}</Id>${kind ? `<Tp><Cd>${kind}</Cd></Tp>` : ''}</CdtrAcct>${text ? `<RmtInf><Ustrd>${text}</Ustrd></RmtInf>` : ''}</CdtTrfTxInf>`
}

type Sums = { count?: string; sum?: string; partCount?: string; partSum?: string }

/** A file of one part, whose counts and sums are right unless others are given. */
export function ordersFile(transfers: string[], sums: Sums = {}): string {
  const hundredths = transfers
    .map((one) => /<InstdAmt[^>]*>(\d+)(?:\.(\d{1,2}))?</.exec(one))
    .reduce((all, at) => all + BigInt(`${at?.[1] ?? 0}${(at?.[2] ?? '').padEnd(2, '0')}`), 0n)
  const digits = String(hundredths).padStart(3, '0')
  const total = `${digits.slice(0, -2)}.${digits.slice(-2)}`
  const { count = String(transfers.length), sum = total } = sums
  const { partCount = String(transfers.length), partSum = total } = sums
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
  <CstmrCdtTrfInitn>
    <GrpHdr><MsgId>m-1</MsgId><CreDtTm>2026-11-30T09:00:00Z</CreDtTm><NbOfTxs>${count}</NbOfTxs><CtrlSum>${sum}</CtrlSum><InitgPty><Nm>Shop</Nm></InitgPty></GrpHdr>
    <PmtInf><PmtInfId>part-1</PmtInfId><PmtMtd>TRF</PmtMtd><NbOfTxs>${partCount}</NbOfTxs><CtrlSum>${partSum}</CtrlSum><ReqdExctnDt><Dt>2026-12-01</Dt></ReqdExctnDt><Dbtr><Nm>Shop</Nm></Dbtr><DbtrAcct><Id><Othr><Id>1</Id></Othr></Id></DbtrAcct><DbtrAgt><FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId></DbtrAgt>
    ${transfers.join('\n    ')}
    </PmtInf>
  </CstmrCdtTrfInitn>
</Document>
`
}
