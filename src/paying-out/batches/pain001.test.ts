/**
 * Goal: payment orders become lines, all or none; a batch becomes payment orders with what is not
 * paid here; and a file that is written is read as the same batch. Method: files as banks'
 * programs write them; batches over HTTP. `test/system/integrators` validates by the schema.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  address,
  americanAccount,
  assertRefused,
  bankAccount,
  newBusiness,
} from '../../../test/support/actors.ts'
import { must, shareServer, type TestServer, until } from '../../../test/support/harness.ts'
import { ordersFile, transferXml } from '../../../test/support/payment-orders.ts'
import { OrderFault, readPain001 } from './batches.ts'

describe('payment orders', () => {
  it('become lines with reference, exact amount, account and text', () => {
    const american = transferXml({
      id: 'NOTPROVIDED',
      amount: '0.29',
      bank: '021000021',
      system: 'USABA',
      account: '12345678',
      kind: 'SVGS',
      name: 'Ada & Sons',
    })
    const text = ordersFile([
      transferXml({ id: 'wage-1', amount: '90071992547409.9', text: 'Wage &amp; bonus' }),
      american,
    ])
    assert.deepEqual(readPain001(text, 'ngn'), [
      {
        row: 1,
        reference: 'wage-1',
        amount: 9_007_199_254_740_990,
        description: 'Wage & bonus',
        destination: { bank_code: '058', account_number: '0123456789', account_name: 'Ada Obi' },
      },
      {
        row: 2,
        amount: 29,
        destination: {
          country: 'us',
          routing_number: '021000021',
          account_number: '12345678',
          account_name: 'Ada & Sons',
          account_type: 'savings',
        },
      },
    ])
  })

  it('are refused as a whole, with the payment and the reason', () => {
    const one = (more: Parameters<typeof transferXml>[0] = {}) => ordersFile([transferXml(more)])
    for (const [text, says] of [
      ['<a/>', /no pain\.001\.001\.09: its first element is a of no namespace/],
      [one().replaceAll('001.09', '001.03'), /no pain\.001\.001\.09: .*001\.03/],
      [one().replace('<CstmrCdtTrfInitn>', '<!DOCTYPE a><CstmrCdtTrfInitn>'), /doctype/],
      [one().replace('</Document>', ''), /unclosed tag: Document/],
      [one().replace('wage-1', '&x;'), /undefined entity/],
      [ordersFile([]), /no payment in the file/],
      [ordersFile([transferXml({})], { count: '2' }), /GrpHdr says 2 payments .* has 1/],
      [ordersFile([transferXml({})], { sum: '100.01' }), /GrpHdr says a sum of 100\.01/],
      [ordersFile([transferXml({})], { partCount: '3' }), /PmtInf part-1 says 3 payments/],
      [ordersFile([transferXml({})], { partSum: '99' }), /PmtInf part-1 says a sum of 99/],
      [one().replace(/<NbOfTxs>1<\/NbOfTxs>/, ''), /NbOfTxs of GrpHdr is missing/],
      [one().replace('TRF', 'CHK'), /Payment 1 \(wage-1\): its PmtMtd is not TRF/],
      [one({ currency: 'USD' }), /Payment 1 \(wage-1\): its amount is in USD, not in NGN/],
      [one({ amount: '1.005' }), /InstdAmt 1\.005 is no amount/],
      [one({ amount: '-1.00' }), /InstdAmt -1\.00 is no amount/],
      [one({ amount: '0' }), /InstdAmt 0 is no amount/],
      [one({ amount: '1e3' }), /InstdAmt 1e3 is no amount/],
      [one({ amount: '90071992547409.92' }), /is no amount/],
      [one({ iban: 'DE89370400440532013000' }), /an IBAN cannot be paid/],
      [one({ bank: '' }), /the code of the bank, is missing/],
      [one({ account: '' }), /CdtrAcct\/Id\/Othr\/Id is missing/],
      [one({ charges: 'DEBT' }), /ChrgBr DEBT is not possible/],
      [one({ system: 'USABA' }), /must be CACC/],
      [
        ordersFile(
          Array.from({ length: 12 }, (_, at) => transferXml({ id: `w-${at}`, iban: 'X' })),
        ),
        /Payment 1 \(w-0\): .* Payment 10 \(w-9\): [^(]* And 2 more\.$/,
      ],
    ] as const)
      assert.throws(
        () => readPain001(text, 'ngn'),
        (error) => error instanceof OrderFault && says.test(error.message),
        `${says}`,
      )
  })
})

describe('a batch for a bank', () => {
  let server: TestServer
  before(async () => {
    server = await shareServer()
    await server.fund('ngn', 100_000_000)
    await server.fund('usd', 100_000_000)
  })
  after(() => server.stop())

  const draft = (lines: object[], currency = 'ngn', reference = `b-${lines.length}-${currency}`) =>
    must(server.call('POST', '/payouts/batch', { reference, currency, dry_run: true, lines }))
  const canceled = async (...given: Parameters<typeof draft>) =>
    must(server.call('POST', `/payout-batches/${(await draft(...given)).id}/cancel`))
  const query = 'debtor_account=0123456789'
  const fileOf = async (id: string, more = ''): Promise<string> => {
    const answer = await server.call('GET', `/payout-batches/${id}/pain001?${query}${more}`)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }

  it('is read as the lines that it was made of', async () => {
    const lines = [
      { reference: 'w-1', amount: 5_000_001, destination: bankAccount(), description: 'Wage <1>' },
      { reference: 'w'.repeat(36), amount: 7_000_000, destination: bankAccount('0123456781') },
    ]
    const { id } = await canceled(lines)
    const file = await fileOf(id)
    assert.match(file, /<NbOfTxs>2<\/NbOfTxs><CtrlSum>120000\.01<\/CtrlSum><InitgPty>/)
    assert.deepEqual(
      readPain001(file, 'ngn').map(({ amount, reference, destination }) => [
        amount,
        reference,
        destination.account_number,
      ]),
      [
        [5_000_001, 'w-1', '0123456789'],
        [7_000_000, `${id}-2`, '0123456781'],
      ],
    )
    assert.match(file, /<Ustrd>Wage &lt;1&gt;<\/Ustrd>/)
    const bank = await fileOf(id, '&debtor_bank=GTBINGLA')
    assert.match(bank, /<DbtrAgt><FinInstnId><BICFI>GTBINGLA</)
    const dollars = await canceled(
      [{ amount: 100_000, destination: americanAccount }],
      'usd',
      'dollars',
    )
    assert.deepEqual(readPain001(await fileOf(dollars.id), 'usd')[0]?.destination, americanAccount)
  })

  it('has only lines that nobody pays here', async () => {
    const draftId = (await draft([{ amount: 1_000_000, destination: bankAccount() }], 'ngn', 'd'))
      .id
    await assertRefused(server, 409, 'batch_not_exportable', () =>
      server.call('GET', `/payout-batches/${draftId}/pain001?${query}`),
    )
    const lines = [1, 2].map((n) => ({ amount: n * 1_000_000, destination: bankAccount() }))
    const made = await must(
      server.call('POST', '/payouts/batch', { reference: 'paid', currency: 'ngn', lines }),
    )
    const path = `/payout-batches/${made.id}`
    await until(async () => (await must(server.call('GET', path))).status === 'completed')
    await assertRefused(server, 409, 'batch_not_exportable', () =>
      server.call('GET', `${path}/pain001?${query}`),
    )
    const coins = await canceled(
      [{ amount: 1_000_000, destination: { chain: 'base', currency: 'usdc', address } }],
      'usd',
      'coins',
    )
    await assertRefused(server, 409, 'batch_not_exportable', () =>
      server.call('GET', `/payout-batches/${coins.id}/pain001?${query}`),
    )
  })

  it('needs the account to pay from, and is of its business alone', async () => {
    const { id } = await canceled([{ amount: 1_000_000, destination: bankAccount() }], 'ngn', 'own')
    assert.equal(
      (await server.call('GET', `/payout-batches/${id}/pain001`)).code,
      'validation_failed',
    )
    const stranger = await newBusiness(server)
    assert.equal(
      (await stranger('GET', `/payout-batches/${id}/pain001?${query}`)).code,
      'not_found',
    )
  })
})
