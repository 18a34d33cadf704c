/**
 * Goal: an order that has not ended always has a next step, whatever its rail reports, so that none
 * is ever left alone. Method: every state that a rail can report, for every status of the state
 * tables of payouts, refunds and returns.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { refundStates } from '../../collecting/refunds/states.ts'
import { returnStates } from '../../collecting/returns/states.ts'
import type { StateTable } from '../../lib/states.ts'
import { payoutStates } from '../../paying-out/payouts/states.ts'
import type { OrderState } from '../../rails/ports/rail.ts'
import { nextStep } from './steps.ts'

const reported: Record<OrderState['state'], OrderState> = {
  completed: { state: 'completed', providerReference: 'p-1', txHash: null },
  failed: { state: 'failed', reason: 'rejected', providerReference: null },
  returned: { state: 'returned', reason: 'invalid_account', providerReference: 'p-1' },
  processing: { state: 'processing', providerReference: 'p-1', askAgainInMs: null },
  unknown: { state: 'unknown', askAgainInMs: null },
  not_found: { state: 'not_found' },
  refused_now: { state: 'refused_now', obstacle: 'balance_too_low', askAgainInMs: 60_000 },
  recalled: { state: 'recalled', attempt: 1 },
}

/**
 * The status in which a rail may have the order, and where each report leads from there; `waits`:
 * to another query.
 */
const sent = {
  payout: [
    payoutStates,
    'processing',
    { failed: 'failed', returned: 'failed', refused_now: 'pending', recalled: 'pending' },
  ],
  refund: [refundStates, 'initiated', { failed: 'failed', returned: 'failed' }],
  return: [returnStates, 'initiated', { failed: 'failed', returned: 'failed' }],
} as const

const stepOf = (states: unknown, status: string, state: OrderState): string | null => {
  const order = { status, provider_reference: null, tx_hash: null }
  const step = nextStep(states as StateTable<string, string>, order, state, 60_000)
  return step === null ? null : 'to' in step ? step.to : 'waits'
}

describe('the next step of an order', () => {
  for (const [kind, [states, status, ends]] of Object.entries(sent))
    for (const [name, state] of Object.entries(reported))
      it(`of a ${kind} that is ${status} and ${name} at its rail is never missing`, () => {
        const expected =
          name === 'completed' ? 'completed' : ((ends as Record<string, string>)[name] ?? 'waits')
        assert.equal(stepOf(states, status, state), expected)
      })

  for (const [kind, states, back] of [
    ['payout', payoutStates, 'returned'],
    ['refund', refundStates, 'failed'],
    ['return', returnStates, 'failed'],
  ] as const)
    it(`of a ${kind} that had completed is its return when its rail reports that nothing was paid`, () => {
      for (const name of ['failed', 'returned', 'recalled'] as const)
        assert.equal(stepOf(states, 'completed', reported[name]), back, name)
      for (const name of [
        'completed',
        'processing',
        'unknown',
        'not_found',
        'refused_now',
      ] as const)
        assert.equal(stepOf(states, 'completed', reported[name]), null, name)
    })
})
