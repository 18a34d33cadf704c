/** Assumptions of payouts: balance, banks, names, recipients and transfers. */
import { randomBytes } from 'node:crypto'
import { found, notReachable, whenRefused } from '../http/findings.ts'
import { means } from '../http/refusals.ts'
import type { Assumption } from '../ports/assumptions.ts'
import { type Asking, answered } from './assumptions-asking.ts'
import { asObject, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'

/**
 * What Paystack publishes for test keys: a recipient, and the bank that answers look-ups without
 * end; others are three a day.
 */
const magic = { recipient: { bank_code: '057', account_number: '0000000000' }, lookupBank: '001' }

const small = 10_000n

const newReference = (): string => `po-${randomBytes(12).toString('hex')}`

export function assumptionsOut({ ask }: Asking): Assumption[] {
  // What a step learns, for those after it.
  let balance: bigint | null = null
  let recipient: string | null = null
  const [burned, sent] = [newReference(), newReference()]

  const transferOf = (amount: bigint, to: string, named: string) =>
    ask('POST', '/transfer', {
      body: {
        source: 'balance',
        amount: Number(amount),
        currency: 'NGN',
        recipient: to,
        reference: named,
        reason: named,
      },
    })

  return [
    {
      id: 'balance',
      source: 'nanafox/paystack_sdk, test API 2026-10',
      asked: 'balance',
      assumed: 'a balance in naira',
      look: async () =>
        answered(await ask('GET', '/balance'), (_, all) => {
          const pots = Array.isArray(all) ? all.map(asObject) : []
          balance = wholeOf(pots.find((one) => one?.currency === 'NGN')?.balance)
          return found(balance === null ? null : 'a balance in naira')
        }),
    },
    {
      id: 'banks',
      source: 'pages of Paystack, 2026, nanafox/paystack_sdk, test API 2026-10',
      asked: 'banks',
      assumed: 'banks, each with id, code and name',
      look: async () => {
        const query = { country: 'nigeria', currency: 'NGN', use_cursor: 'true', perPage: '100' }
        return answered(await ask('GET', '/bank', { query }), (_, all) => {
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
      look: async () => {
        const query = { account_number: '0123456789', bank_code: magic.lookupBank }
        return answered(await ask('GET', '/bank/resolve', { query }), (data) =>
          found(textOf(data.account_name) && 'a name'),
        )
      },
    },
    {
      id: 'unknown_account',
      source: 'public clients: 422',
      asked: 'name of an account that nobody has',
      assumed: "a refusal, 'could not resolve'",
      look: async () => {
        const query = { account_number: '0000000001', bank_code: '058' }
        return whenRefused(await ask('GET', '/bank/resolve', { query }), refusals.isUnknownAccount)
      },
    },
    {
      id: 'recipient',
      source: 'airbytehq/airbyte, test accounts 2023-24, nanafox/paystack_sdk, test API 2026-10',
      asked: 'recipient',
      assumed: 'a recipient_code',
      look: async () => {
        const body = { type: 'nuban', name: 'Check Recipient', currency: 'NGN', ...magic.recipient }
        return answered(await ask('POST', '/transferrecipient', { body }), (data) => {
          recipient = textOf(data.recipient_code)
          return found(recipient && 'a code')
        })
      },
    },
    {
      id: 'recipient_at_no_bank',
      source: '[U]',
      asked: 'recipient at a bank that is none',
      assumed: 'a refusal about the account or the bank',
      look: async () => {
        const body = {
          type: 'nuban',
          name: 'Nobody',
          currency: 'NGN',
          account_number: '0000000000',
          bank_code: '000000',
        }
        return whenRefused(
          await ask('POST', '/transferrecipient', { body }),
          means(refusals.recipientRefusals, 'invalid_account'),
        )
      },
    },
    {
      id: 'unknown_recipient',
      source: 'OpenAPI document of Paystack; [U]',
      asked: 'transfer to a recipient that is none',
      assumed: "code 'invalid_transfer_recipient'",
      look: async () =>
        whenRefused(
          await transferOf(small, 'RCP_0000000000000000', newReference()),
          means(refusals.payoutRefusals, 'no_recipient'),
        ),
    },
    {
      id: 'beyond_balance',
      source: 'public clients; its code is open',
      asked: 'transfer of more than the balance',
      assumed: "a refusal, 'balance is not enough'",
      look: async () =>
        recipient === null || balance === null
          ? notReachable('no recipient, or no balance')
          : whenRefused(
              await transferOf(balance + 10_000_000n, recipient, burned),
              means(refusals.payoutRefusals, 'balance_too_low'),
            ),
    },
    {
      id: 'refused_reference',
      source: '[U] whether a refused transfer uses its reference up',
      asked: 'that reference once more, with a small amount',
      assumed: 'either: payouts that were refused are sent under another reference',
      look: async () => {
        if (recipient === null || balance === null)
          return notReachable('no recipient, or no balance')
        const answer = await transferOf(small, recipient, burned)
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
      look: async () => {
        if (recipient === null) return notReachable('no recipient')
        return answered(await transferOf(small, recipient, sent), (data) => {
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
      look: async () =>
        recipient === null
          ? notReachable('no recipient')
          : whenRefused(await transferOf(small, recipient, sent), refusals.isDuplicate),
    },
    {
      id: 'transfer_verified',
      source: 'airbytehq/airbyte, test accounts 2023-24, pages of Paystack, 2026',
      asked: 'verify of the transfer',
      assumed:
        'its reference, amount, currency, mode and transfer_code; fee_charged once it has arrived',
      look: async () => {
        const asked = await ask('GET', '/transfer/verify/{reference}', {
          params: { reference: sent },
        })
        return answered(asked, (data) => {
          const same =
            data.reference === sent && data.amount === Number(small) && data.currency === 'NGN'
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
      look: async () => {
        const params = { reference: newReference() }
        return whenRefused(
          await ask('GET', '/transfer/verify/{reference}', { params }),
          refusals.isUnknownTransfer,
        )
      },
    },
  ]
}
