/**
 * Goal: whatever a provider does otherwise than its adapter assumes, a check with a test key finds.
 * Method: each provider's double, with one answer bent on purpose for each assumption.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { masked } from '../../../src/rails/http/masking.ts'
import { assumptionsOfLive, findingsAt, type PlaceName } from '../../support/assumptions.ts'
import type { Answer, Bend } from '../../support/bent.ts'
import { openAssumptions } from '../../support/open-assumptions.ts'

type Bent = Bend | RegExp | [on: RegExp, skip: number]

/** An answer with something else in its place. */
const changed =
  (change: (body: Answer['body']) => void) =>
  ({ status, body }: Answer): Answer => {
    change(body)
    return { status, body }
  }
const message = 'Something else'

/**
 * By assumption, the answer that is bent. Where nothing else is said, it is a refusal of another
 * kind.
 */
const bends: Record<PlaceName, { refusal: Answer; of: Record<string, Bent> }> = {
  paystack: {
    refusal: { status: 400, body: { status: false, code: 'something_else', message } },
    of: {
      page: /^POST \/transaction\/initialize/,
      duplicate_transaction: [/^POST \/transaction\/initialize/, 1],
      unpaid_transaction: /^GET \/transaction\/verify/,
      unknown_transaction: [/^GET \/transaction\/verify/, 1],
      paid_transaction: {
        on: /^GET \/transaction\/verify/,
        to: changed(
          ({ data }) => data?.status === 'success' && Object.assign(data, { fees: null }),
        ),
      },
      transaction_window: {
        on: /^GET \/transaction\?/,
        to: changed((body) => Object.assign(body, { data: [] })),
      },
      partial_refund: /^POST \/refund /,
      refund_list: {
        on: /^GET \/refund\?/,
        to: changed(({ data }) => Object.assign(data[0], { merchant_note: null })),
      },
      refunded_transaction: [/^GET \/transaction\/verify/, 3],
      refund_too_large: [/^POST \/refund /, 1],
      refund_of_nothing: [/^POST \/refund /, 2],
      ledger_refund: {
        on: /^GET \/balance\/ledger/,
        to: changed(({ data }) => {
          for (const row of data) row.model_responsible = 'Reversal'
        }),
      },
      feature_off: /^GET \/dedicated_account /,
      one_time_account: /^POST \/charge/,
      customer_again: [/^POST \/customer /, 1],
      unknown_customer: /^GET \/customer\/CUS_0/,
      dedicated_banks: /^GET \/dedicated_account\/available_providers/,
      dedicated_account: /^POST \/dedicated_account/,
      unknown_dedicated_account: /^GET \/dedicated_account\/1 /,
      second_dedicated_account: {
        on: /^POST \/dedicated_account/,
        skip: 1,
        to: changed(({ data }) => Object.assign(data, { account_number: '9999999999' })),
      },
      identification: /^POST \/customer\/\w+\/identification/,
      identified_again: [/^POST \/customer\/\w+\/identification/, 1],
      balance: /^GET \/balance /,
      banks: /^GET \/bank\?/,
      account_name: /^GET \/bank\/resolve/,
      unknown_account: [/^GET \/bank\/resolve/, 1],
      recipient: /^POST \/transferrecipient/,
      recipient_at_no_bank: [/^POST \/transferrecipient/, 1],
      unknown_recipient: /^POST \/transfer /,
      beyond_balance: [/^POST \/transfer /, 1],
      refused_reference: [/^POST \/transfer /, 2],
      transfer: [/^POST \/transfer /, 3],
      duplicate_transfer: [/^POST \/transfer /, 4],
      transfer_verified: /^GET \/transfer\/verify/,
      unknown_transfer: [/^GET \/transfer\/verify/, 1],
    },
  },
  monnify: {
    refusal: {
      status: 400,
      body: { requestSuccessful: false, responseCode: 'X1', responseMessage: message },
    },
    of: {
      reserve: /^POST \S+reserved-accounts/,
      reserve_again: [/^POST \S+reserved-accounts/, 1],
      search_row: {
        on: /^GET \S+transactions\/search/,
        to: changed(({ responseBody }) => {
          for (const row of responseBody.content) row.collectionChannel = 'API'
        }),
      },
      transaction: {
        on: /^GET \/api\/v2\/transactions/,
        to: changed(({ responseBody }) => delete responseBody?.product),
      },
      time_form: {
        on: /^GET \/api\/v2\/transactions/,
        to: changed(
          ({ responseBody }) =>
            responseBody && Object.assign(responseBody, { paidOn: '7 March, noon' }),
        ),
      },
      unknown_transaction: [/^GET \/api\/v2\/transactions/, 1],
      wallet: {
        on: /wallet-balance/,
        to: changed(({ responseBody }) =>
          Object.assign(responseBody, { availableBalance: 'NGN 1' }),
        ),
      },
      beyond_wallet: /^POST \S+single /,
      transfer: [/^POST \S+single /, 1],
      duplicate_transfer: [/^POST \S+single /, 2],
      same_again: [/^POST \S+single /, 3],
      summary: /^GET \S+single\/summary/,
      unknown_transfer: [/^GET \S+single\/summary/, 1],
      account_name: /account\/validate/,
    },
  },
  dojah: {
    refusal: { status: 400, body: { error: message } },
    of: {
      bvn_number: {
        on: /bvn\/full/,
        to: changed(({ entity }) => entity && Object.assign(entity, { bvn: '22200000009' })),
      },
      nin_number: {
        on: /kyc\/nin/,
        to: changed(({ entity }) => Object.assign(entity, { nin: '70000000009' })),
      },
      bvn_name: {
        on: /bvn\/full/,
        to: changed(({ entity }) => entity && Object.assign(entity, { last_name: {} })),
      },
      nin_name: { on: /kyc\/nin/, to: changed(({ entity }) => delete entity.first_name) },
      unknown_number: [/bvn\/full/, 2],
      wallet: {
        on: /balance/,
        to: changed(({ entity }) => Object.assign(entity, { wallet_balance: 'NGN 1' })),
      },
    },
  },
  bridge: {
    refusal: { status: 400, body: { code: 'something_else', message } },
    of: {
      external_account: /^POST \S+external_accounts/,
      same_key_other_body: [/^POST \S+external_accounts/, 1],
      same_key_same_body: [/^POST \S+external_accounts/, 2],
      wallet: {
        on: /^GET \S+wallets/,
        to: changed((body) => Object.assign(body, { balances: 7 })),
      },
      beyond_balance: /^POST \S+transfers/,
      unknown_external_account: [/^POST \S+transfers/, 1],
      unknown_transfer: /^GET \S+transfers/,
    },
  },
  stripe: {
    refusal: {
      status: 400,
      body: { error: { type: 'something_else', code: 'something_else', message } },
    },
    of: {
      funds: {
        on: /financial_accounts/,
        to: changed((body) => Object.assign(body, { livemode: true })),
      },
      recipient: /^POST \S+core\/accounts/,
      bank_account: /^POST \S+outbound_setup_intents/,
      beyond_balance: /^POST \S+outbound_payments/,
      recipient_without_capability: [/^POST \S+outbound_payments/, 1],
      payment: [/^POST \S+outbound_payments/, 2],
      payment_again: [/^POST \S+outbound_payments/, 3],
      unknown_payment: /^GET \S+outbound_payments/,
    },
  },
  stripe_cards: {
    refusal: {
      status: 400,
      body: { error: { type: 'something_else', code: 'something_else', message } },
    },
    of: { customer: /^POST \S+customers/, refund_of_nothing: /^POST \S+refunds/ },
  },
}

for (const [name, { refusal, of }] of Object.entries(bends) as [
  PlaceName,
  (typeof bends)[PlaceName],
][])
  describe(`what is assumed of ${name}`, () => {
    it('is contradicted by nothing that its double does, and each that can be asked is bent below', async () => {
      const findings = await findingsAt(name)
      assert.deepEqual(
        findings.filter(({ verdict }) => verdict === 'contradicted'),
        [],
      )
      const reached = findings.filter(({ asked }) => asked !== 'not asked').map(({ id }) => id)
      assert.deepEqual(reached.toSorted(), Object.keys(of).toSorted())
      assert.equal(new Set(findings.map(({ id }) => id)).size, findings.length)
      for (const { asked, assumed, source, saw } of findings)
        assert.ok(asked && assumed && source && saw)
    })
    it('has a line for all that `unconfirmed.ts` has', async () => {
      if (name === 'stripe_cards') return
      const unconfirmed = await import(`../../../src/rails/${name}/unconfirmed.ts`)
      const ids = (await findingsAt(name)).map(({ id }) => id)
      for (const exported of Object.keys(unconfirmed))
        assert.ok(ids.includes(openAssumptions[name][exported] ?? ''), `${exported} has no line`)
    })
    for (const [id, bent] of Object.entries(of))
      it(`is found where it is not so: ${id}`, async () => {
        const bend: Bend =
          bent instanceof RegExp
            ? { on: bent, to: () => refusal }
            : Array.isArray(bent)
              ? { on: bent[0], skip: bent[1], to: () => refusal }
              : bent
        const one = (await findingsAt(name, [bend])).find((finding) => finding.id === id)
        assert.equal(one?.verdict, 'contradicted', one?.saw)
      })
  })

describe('a check with a test key', () => {
  it('says what it cannot reach where nobody pays, or the provider does not answer', async () => {
    const unpaid = await findingsAt('paystack', [], { pays: false })
    assert.equal(unpaid.find(({ id }) => id === 'paid_transaction')?.verdict, 'not reachable')
    const away: Bend = { on: /./, to: () => ({ status: 503, body: {} }) }
    for (const name of ['paystack', 'monnify', 'dojah', 'bridge', 'stripe'] as const)
      for (const { id, verdict } of await findingsAt(name, [away]))
        assert.equal(verdict, 'not reachable', id)
  })

  it('confirms an account of Paystack without dedicated accounts, and leaves out what needs them', async () => {
    const off: Bend = {
      on: /dedicated_account/,
      to: () => ({ status: 403, body: { status: false, code: 'feature_unavailable', message } }),
    }
    const findings = await findingsAt('paystack', [off])
    const of = (verdict: string) =>
      findings.filter((one) => one.verdict === verdict).map(({ id }) => id)
    assert.ok(of('confirmed').includes('feature_off'))
    assert.deepEqual(of('contradicted'), [])
    assert.ok(of('not reachable').includes('dedicated_account'))
  })

  it('is never of an account of live mode', async () => {
    const live = { paystack: 'sk_live_check', monnify: 'MK_PROD_CHECK', dojah: 'prod_check' }
    for (const [name, key] of Object.entries({
      ...live,
      bridge: 'sk-live-check',
      stripe: 'sk_live_check',
    }))
      assert.equal(await assumptionsOfLive(name as PlaceName, key), undefined, name)
  })

  it('shows no keys, addresses and numbers', () => {
    const text = `sk_test_abcdef123 MK_TEST_ABCDEF9 ada@example.com 10.0.0.7 0123456789 own-key eyJhbGciOi.x.y`
    assert.equal(
      masked(text, ['own-key']),
      '[key] [key] [email] [IP address] ***6789 [hidden] [key]',
    )
  })
})
