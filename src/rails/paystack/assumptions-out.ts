/** Assumptions about payouts: balance, banks, names, recipients and transfers. */
import { randomBytes } from 'node:crypto'
import { checkedWith, found, notReachable, type ProbeRow, whenRefused } from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import type { Assumption } from '../ports/assumptions.ts'
import { type Asking, answered } from './assumptions-asking.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'

/**
 * Paystack's published test values: a recipient, and the bank without a look-up limit. Other banks
 * allow three look-ups a day.
 */
const magic = { recipient: { bank_code: '057', account_number: '0000000000' }, lookupBank: '001' }

const small = 10_000n

const newReference = (): string => `po-${randomBytes(12).toString('hex')}`

/** The requests of a check, and results of earlier steps. */
class Probe {
  readonly ask: Asking['ask']
  balance: bigint | null = null
  recipient: string | null = null
  readonly burned = newReference()
  readonly sent = newReference()

  constructor({ ask }: Asking) {
    this.ask = ask
  }

  transferOf(amount: bigint, recipient: string, reference: string) {
    return this.ask('POST', '/transfer', {
      body: {
        source: 'balance',
        amount: Number(amount),
        currency: 'NGN',
        recipient,
        reference,
        reason: reference,
      },
    })
  }
}

export const assumptionsOut = (asking: Asking): Assumption[] => checkedWith(new Probe(asking), rows)

const rows: ProbeRow<Probe>[] = [
  {
    id: 'balance',
    source: 'nanafox/paystack_sdk, test API 2026-10',
    asked: 'balance',
    assumed: 'a balance in naira',
    look: async (probe) =>
      answered(await probe.ask('GET', '/balance'), (_, all) => {
        const pots = Array.isArray(all) ? all.map(asObject) : []
        probe.balance = wholeOf(pots.find((one) => one?.currency === 'NGN')?.balance)
        return found(probe.balance === null ? null : 'a balance in naira')
      }),
  },
  {
    id: 'banks',
    source: 'pages of Paystack, 2026, nanafox/paystack_sdk, test API 2026-10',
    asked: 'banks',
    assumed: 'banks, each with id, code and name',
    look: async (probe) => {
      const query = { country: 'nigeria', currency: 'NGN', use_cursor: 'true', perPage: '100' }
      return answered(await probe.ask('GET', '/bank', { query }), (_, all) => {
        const banks = Array.isArray(all) ? all.map(asObject) : []
        const whole = banks.every(
          (one) => wholeOf(one?.id) !== null && textOf(one?.code) && textOf(one?.name),
        )
        return {
          saw: `${banks.length} on the first page${whole ? '' : ', some without'}`,
          fits: whole && banks.length > 0,
        }
      })
    },
  },
  {
    id: 'account_name',
    source: 'pages of Paystack, 2026',
    asked: 'name of an account',
    assumed: 'an account_name',
    look: async (probe) => {
      const query = { account_number: '0123456789', bank_code: magic.lookupBank }
      return answered(await probe.ask('GET', '/bank/resolve', { query }), (data) =>
        found(textOf(data.account_name) && 'a name'),
      )
    },
  },
  {
    id: 'unknown_account',
    source: 'public clients: 422',
    asked: 'name of an account that does not exist',
    assumed: "a refusal, 'could not resolve'",
    look: async (probe) => {
      const query = { account_number: '0000000001', bank_code: '058' }
      return whenRefused(
        await probe.ask('GET', '/bank/resolve', { query }),
        refusals.isUnknownAccount,
      )
    },
  },
  {
    id: 'recipient',
    source: 'airbytehq/airbyte, test accounts 2023-24, nanafox/paystack_sdk, test API 2026-10',
    asked: 'recipient',
    assumed: 'a recipient_code',
    look: async (probe) => {
      const body = { type: 'nuban', name: 'Check Recipient', currency: 'NGN', ...magic.recipient }
      return answered(await probe.ask('POST', '/transferrecipient', { body }), (data) => {
        probe.recipient = textOf(data.recipient_code)
        return found(probe.recipient && 'a code')
      })
    },
  },
  {
    id: 'recipient_at_no_bank',
    source: '[U]',
    asked: 'recipient at a bank that is none',
    assumed: 'a refusal about the account or the bank',
    look: async (probe) => {
      const body = {
        type: 'nuban',
        name: 'Nobody',
        currency: 'NGN',
        account_number: '0000000000',
        bank_code: '000000',
      }
      return whenRefused(
        await probe.ask('POST', '/transferrecipient', { body }),
        means(refusals.recipientRefusals, 'invalid_account'),
      )
    },
  },
  {
    id: 'unknown_recipient',
    source: 'OpenAPI document of Paystack; [U]',
    asked: 'transfer to a recipient that is none',
    assumed: "code 'invalid_transfer_recipient'",
    look: async (probe) =>
      whenRefused(
        await probe.transferOf(small, 'RCP_0000000000000000', newReference()),
        means(refusals.payoutRefusals, 'no_recipient'),
      ),
  },
  {
    id: 'beyond_balance',
    source: 'public clients; its code is open',
    asked: 'transfer of more than the balance',
    assumed: "a refusal, 'balance is not enough'",
    look: async (probe) =>
      probe.recipient === null || probe.balance === null
        ? notReachable('no recipient, or no balance')
        : whenRefused(
            await probe.transferOf(probe.balance + 10_000_000n, probe.recipient, probe.burned),
            means(refusals.payoutRefusals, 'balance_too_low'),
          ),
  },
  {
    id: 'refused_reference',
    source: '[U] whether a refused transfer uses its reference up',
    asked: 'that reference once more, with a small amount',
    assumed: 'either: payouts that were refused are sent under another reference',
    look: async (probe) => {
      if (probe.recipient === null || probe.balance === null)
        return notReachable('no recipient, or no balance')
      const answer = await probe.transferOf(small, probe.recipient, probe.burned)
      return answer.is === 'answered'
        ? found('taken: the reference was free')
        : whenRefused(answer, refusals.isDuplicate)
    },
  },
  {
    id: 'transfer',
    source: 'public clients: success at once in test mode',
    asked: 'transfer',
    assumed: 'pending, received or success',
    look: async (probe) => {
      if (probe.recipient === null) return notReachable('no recipient')
      return answered(await probe.transferOf(small, probe.recipient, probe.sent), (data) => {
        const status = textOf(data.status) ?? 'no status'
        return { saw: status, fits: ['pending', 'received', 'success'].includes(status) }
      })
    },
  },
  {
    id: 'duplicate_transfer',
    source: 'public clients',
    asked: 'the same transfer again',
    assumed: "a refusal, 'duplicate_transfer_reference'",
    look: async (probe) =>
      probe.recipient === null
        ? notReachable('no recipient')
        : whenRefused(
            await probe.transferOf(small, probe.recipient, probe.sent),
            refusals.isDuplicate,
          ),
  },
  {
    id: 'transfer_verified',
    source: 'airbytehq/airbyte, test accounts 2023-24, pages of Paystack, 2026',
    asked: 'verify of the transfer',
    assumed:
      'its reference, amount, currency, mode and transfer_code; fee_charged once it has arrived',
    look: async (probe) => {
      const asked = await probe.ask('GET', '/transfer/verify/{reference}', {
        params: { reference: probe.sent },
      })
      return answered(asked, (data) => {
        const same =
          data.reference === probe.sent && data.amount === Number(small) && data.currency === 'NGN'
        const fee = wholeOf(data.fee_charged)
        const saw = `${textOf(data.status)}, ${fee === null ? 'no fee_charged' : `fee_charged ${fee}`}`
        return {
          saw: same ? saw : `${saw}, of something else`,
          fits: same && data.domain === 'test' && textOf(data.transfer_code) !== null,
        }
      })
    },
  },
  {
    id: 'unknown_transfer',
    source: 'pages of Paystack, 2026: 404',
    asked: 'verify of a transfer that was never made',
    assumed: "a refusal with 400 or 404, 'transfer not found'",
    look: async (probe) => {
      const params = { reference: newReference() }
      return whenRefused(
        await probe.ask('GET', '/transfer/verify/{reference}', { params }),
        refusals.isUnknownTransfer,
      )
    },
  },
]
