/**
 * Goal: the SDKs have every operation and every type of the document. Method: their model is made
 * of the document itself.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readDocument } from './document.ts'
import { modelOf, moneyOf, type Schema } from './model.ts'
import { amounts, counts, names } from './names.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document has every shape
const document = readDocument() as any
const model = modelOf(document)
const methods = Object.values(model.resources).flat()
const method = (id: string) => methods.find((one) => one.id === id) ?? assert.fail(id)

describe('the model of the SDKs', () => {
  it('has each operation once, and names none that there is not', () => {
    const ids = Object.values(
      document.paths as Record<string, Record<string, { operationId: string }>>,
    )
      .flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId)
    assert.ok(ids.length > 130, `${ids.length} operations`)
    assert.deepEqual(methods.map(({ id }) => id).sort(), ids.sort())
    assert.deepEqual(Object.keys(names).sort(), ids.sort())
    assert.equal(new Set(Object.values(names)).size, ids.length)
    document.paths['/wallets'].get.operationId = 'countWallets'
    assert.throws(() => modelOf(document), /no name for countWallets/)
    document.paths['/wallets'].get.operationId = 'listWallets'
  })

  it('knows of every integer of 64 bits whether it is money', () => {
    const found = new Set<string>()
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const walk = (value: any, name: string): void => {
      if (typeof value !== 'object' || value === null) return
      if (value.format === 'int64') found.add(name)
      for (const [key, child] of Object.entries(value))
        walk(child, ['items', 'schema'].includes(key) ? (value.name ?? name) : key)
    }
    walk(document.components.schemas, '')
    walk(document.components.parameters, '')
    walk(document.paths, '')
    assert.deepEqual([...found].sort(), [...amounts, ...counts].sort())
  })

  it('says how each operation is asked and what it answers', () => {
    const create = method('createPayout')
    assert.deepEqual(
      [create.http, create.path, create.idempotent, create.key],
      ['POST', '/payouts', true, true],
    )
    assert.deepEqual(create.body, { schema: 'CreatePayout', required: true })
    assert.deepEqual(create.answer, {
      kind: 'record',
      type: { kind: 'ref', name: 'Payout', nullable: false },
    })
    assert.ok(create.codes.includes('insufficient_funds') && !create.codes.includes('invalid_key'))
    const list = method('listPayouts').answer
    assert.ok(list.kind === 'page' && list.schema === 'PayoutPage' && list.cursor)
    assert.ok(list.items.kind === 'ref' && list.items.name === 'Payout')
    const lines = method('listPayoutBatchLines').answer
    assert.ok(lines.kind === 'page' && !lines.cursor)
    assert.deepEqual(method('listBanks').answer.kind, 'list')
    assert.deepEqual(
      methods.filter(({ answer }) => answer.kind === 'stream').map(({ id }) => id),
      ['streamEvents'],
    )
    assert.deepEqual(method('getInvoicePdf').answer, {
      kind: 'bytes',
      contentType: 'application/pdf',
    })
    assert.equal(method('getHealth').key, false)
    assert.deepEqual(
      method('resolveAccount').query.map(({ name, required }) => [name, required]),
      [
        ['bank_code', true],
        ['account_number', true],
      ],
    )
    for (const { id, http, idempotent } of methods) assert.equal(idempotent, http === 'POST', id)
  })

  it('has every type that it names, and nothing but what is used', () => {
    const text = JSON.stringify({ resources: model.resources, schemas: model.schemas })
    for (const [, name = ''] of text.matchAll(/"kind":"ref","name":"(\w+)"/g))
      assert.ok(model.schemas[name], name)
    for (const name of Object.keys(model.schemas)) assert.ok(!name.endsWith('Answer'), name)
    const page = model.schemas.PayoutPage as Extract<Schema, { kind: 'object' }>
    assert.deepEqual(page.fields.map(({ name }) => name).slice(0, 2), ['totalDocs', 'limit'])
    assert.equal(page.fields.at(-1)?.name, 'docs')
    const event = model.schemas.StreamedEvent as Extract<Schema, { kind: 'union' }>
    assert.equal(event.discriminator?.values['payout.completed'], 'PayoutCompletedEvent')
    assert.equal(event.of.length, model.events.length)
    assert.deepEqual(
      model.events.find(({ type }) => type === 'payout.returned'),
      { type: 'payout.returned', schema: 'PayoutReturnedEvent', payload: 'Payout' },
    )
  })

  it('has the refusals with their status', () => {
    assert.ok(model.codes.length > 100, `${model.codes.length} codes`)
    const insufficient = model.codes.find(({ code }) => code === 'insufficient_funds')
    assert.equal(insufficient?.status, 400)
    const known = new Set(model.codes.map(({ code }) => code))
    for (const { id, codes } of methods)
      for (const code of codes) assert.ok(known.has(code), `${id}: ${code}`)
  })

  it('says where money is', () => {
    const money = moneyOf(model)
    assert.equal(money.Payout?.amount, true)
    assert.equal(money.Payout?.fee_breakdown, 'PayoutFee')
    assert.equal(money.Invoice?.lines, 'InvoiceLine')
    assert.equal(money.InvoiceLine?.quantity, undefined)
    assert.equal(money.PayoutPage?.docs, 'Payout')
    assert.equal(money.PayoutPage?.totalDocs, undefined)
    assert.equal(money.PayoutCompletedEvent?.payload, 'Payout')
    assert.equal(money.Customer, undefined)
  })
})
