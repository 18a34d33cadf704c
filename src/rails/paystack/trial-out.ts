/** The walk through payouts: balance, banks, names, recipients and transfers. */
import { randomBytes } from 'node:crypto'
import { formatMoney } from '../../lib/money.ts'
import { meaningOfRefusal } from '../refusals.ts'
import { asObject, type Refused, textOf, wholeOf } from './client.ts'
import * as refusals from './refusals.ts'
import { type Asking, answered, found, inWords, refused, type Step, skipped } from './trial-asking.ts'

/** What Paystack publishes for test keys: a recipient, and the bank that answers look-ups without end; others are three a day. */
const magic = { recipient: { bank_code: '057', account_number: '0000000000' }, lookupBank: '001' }

const small = 10_000n

/** Whether a refusal of a transfer is known for what it is. */
const means =
  (meaning: string) =>
  (said: Refused): boolean =>
    meaningOfRefusal(refusals.payoutRefusals, said) === meaning

const newReference = (): string => `po-${randomBytes(12).toString('hex')}`

export function stepsOut({ ask }: Asking): Step[] {
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
      title: 'balance',
      expected: 'a balance in naira',
      run: async () =>
        answered(await ask('GET', '/balance'), (_, all) => {
          const pots = Array.isArray(all) ? all.map(asObject) : []
          balance = wholeOf(pots.find((one) => one?.currency === 'NGN')?.balance)
          return found(balance === null ? null : formatMoney(balance, 'ngn'))
        }),
    },
    {
      title: 'banks',
      expected: 'banks, each with id, code and name',
      run: async () => {
        const query = { country: 'nigeria', currency: 'NGN', use_cursor: 'true', perPage: '100' }
        return answered(await ask('GET', '/bank', { query }), (_, all) => {
          const banks = Array.isArray(all) ? all.map(asObject) : []
          const whole = banks.every((one) => wholeOf(one?.id) !== null && textOf(one?.code) && textOf(one?.name))
          return {
            saw: `${banks.length} on the first page${whole ? '' : ', some without'}`,
            fits: whole && banks.length > 0,
          }
        })
      },
    },
    {
      title: 'name of an account',
      expected: 'an account_name',
      run: async () => {
        const query = { account_number: '0123456789', bank_code: magic.lookupBank }
        return answered(await ask('GET', '/bank/resolve', { query }), (data) => found(textOf(data.account_name)))
      },
    },
    {
      title: 'name of an account that nobody has',
      expected: "a refusal, 'could not resolve'",
      run: async () => {
        const query = { account_number: '0000000001', bank_code: '058' }
        return refused(await ask('GET', '/bank/resolve', { query }), refusals.isUnknownAccount)
      },
    },
    {
      title: 'recipient',
      expected: 'a recipient_code',
      run: async () => {
        const body = { type: 'nuban', name: 'Trial Recipient', currency: 'NGN', ...magic.recipient }
        return answered(await ask('POST', '/transferrecipient', { body }), (data) => {
          recipient = textOf(data.recipient_code)
          return found(recipient)
        })
      },
    },
    {
      title: 'recipient at a bank that is none',
      expected: 'a refusal about the account or the bank',
      settles: 'recipientRefusals',
      run: async () => {
        const body = {
          type: 'nuban',
          name: 'Nobody',
          currency: 'NGN',
          account_number: '0000000000',
          bank_code: '000000',
        }
        return refused(
          await ask('POST', '/transferrecipient', { body }),
          (said) => meaningOfRefusal(refusals.recipientRefusals, said) !== null,
        )
      },
    },
    {
      title: 'transfer to a recipient that is none',
      expected: "code 'invalid_transfer_recipient'",
      settles: "the code of payoutRefusals' no_recipient",
      run: async () => refused(await transferOf(small, 'RCP_0000000000000000', newReference()), means('no_recipient')),
    },
    {
      title: 'transfer of more than the balance',
      expected: "a refusal, 'balance is not enough'",
      settles: "the code of payoutRefusals' balance_too_low",
      run: async () =>
        recipient === null || balance === null
          ? skipped('no recipient, or no balance')
          : refused(await transferOf(balance + 10_000_000n, recipient, burned), means('balance_too_low')),
    },
    {
      title: 'that reference once more, with a small amount',
      expected: 'either: payouts that were refused are sent under another reference',
      settles: 'whether a transfer that was refused uses its reference up',
      run: async () => {
        if (recipient === null || balance === null) return skipped('no recipient, or no balance')
        const answer = await transferOf(small, recipient, burned)
        const saw = answer.is === 'answered' ? 'taken: the reference was free' : inWords(answer)
        return { saw, fits: answer.is === 'answered' || (answer.is === 'refused' && refusals.isDuplicate(answer)) }
      },
    },
    {
      title: 'transfer',
      expected: 'pending, received or success',
      run: async () => {
        if (recipient === null) return skipped('no recipient')
        return answered(await transferOf(small, recipient, sent), (data) => {
          const status = textOf(data.status) ?? 'no status'
          return { saw: status, fits: ['pending', 'received', 'success'].includes(status) }
        })
      },
    },
    {
      title: 'the same transfer again',
      expected: "a refusal, 'duplicate_transfer_reference'",
      run: async () =>
        recipient === null
          ? skipped('no recipient')
          : refused(await transferOf(small, recipient, sent), refusals.isDuplicate),
    },
    {
      title: 'verify of the transfer',
      expected: 'its reference, amount, currency, mode and transfer_code; fee_charged once it has arrived',
      settles: 'whether verify names fee_charged',
      run: async () => {
        const asked = await ask('GET', '/transfer/verify/{reference}', { params: { reference: sent } })
        return answered(asked, (data) => {
          const same = data.reference === sent && data.amount === Number(small) && data.currency === 'NGN'
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
      title: 'verify of a transfer that was never made',
      expected: "a refusal with 400 or 404, 'transfer not found'",
      run: async () => {
        const params = { reference: newReference() }
        return refused(await ask('GET', '/transfer/verify/{reference}', { params }), refusals.isUnknownTransfer)
      },
    },
  ]
}
