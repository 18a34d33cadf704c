/**
 * A provider of the tests' own, whose accounts do as they are told, and a `RAILS_FILE` for them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Type } from '../../src/lib/schema.ts'
import type { AccountRail } from '../../src/rails/ports/bank-accounts.ts'
import { defineProvider, type Provider, Secret } from '../../src/rails/ports/provider.ts'
import type { NameLookup, Obstacle, OrderState, PayoutOrder } from '../../src/rails/ports/rail.ts'
import { type AccountCheck, routeNames } from '../../src/rails/ports/routes.ts'

const dir = mkdtempSync(join(tmpdir(), 'bursar-rails-'))
after(() => rmSync(dir, { recursive: true, force: true }))

/**
 * The environment of a server with this file, whose accounts' keys are `LIVE_KEY`, `LIVE_KEY_2`,
 * `TEST_KEY` and `TEST_KEY_2`.
 */
export function railsEnv(file: object | string): Record<string, string> {
  const path = join(dir, 'rails.json')
  writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file))
  return {
    RAILS_FILE: path,
    BASE_URL: 'https://pay.example.com',
    LIVE_KEY: 'sk_live_one',
    LIVE_KEY_2: 'sk_live_two',
    TEST_KEY: 'sk_test_one',
    TEST_KEY_2: 'sk_test_two',
  }
}

/** What an account does when it is asked, and what it was sent. */
export type TestAccount = {
  obstacle: Obstacle | null
  holder: NameLookup
  /** Of what is sent, and of what is asked about. A completed order has a reference of its own. */
  says: OrderState
  check: () => Promise<AccountCheck>
  sent: PayoutOrder[]
  lookups: number
}

export const wellChecked: AccountCheck = {
  fatal: null,
  keyWorks: true,
  obstacle: null,
  balances: { ngn: 5_000_000n },
  warnings: [],
}

/** A provider, and its accounts by name once they are opened. */
export function testProvider(name = 'testpay'): {
  provider: Provider
  accounts: Record<string, TestAccount>
} {
  const accounts: Record<string, TestAccount> = {}
  const provider = defineProvider({
    name,
    settings: {
      secret_key: Secret('The key.'),
      secret_key_previous: Type.Optional(Secret('The key before.')),
      float: Type.Optional(Type.Integer({ minimum: 0 })),
      needs_email: Type.Optional(Type.Boolean()),
    },
    routes: routeNames.filter((route) => route !== 'payout.usd'),
    open({ name: account, own }) {
      if (own.float === 13) throw new RangeError(`float: 13 brings ${own.secret_key} no luck`)
      const state: TestAccount = {
        obstacle: null,
        holder: { found: true, accountName: `Ada by ${account}` },
        says: { state: 'completed', providerReference: '', txHash: null },
        check: async () => wellChecked,
        sent: [],
        lookups: 0,
      }
      accounts[account] = state
      const unknown = { state: 'unknown' } as const
      const answer = ({ id }: PayoutOrder): OrderState =>
        state.says.state === 'completed'
          ? { ...state.says, providerReference: `${account}-${id}` }
          : state.says
      let opened = 0
      const bank = {
        bankName: 'Test Bank',
        bankCode: '058',
        routingNumber: null,
        accountName: null,
      }
      const openAccount: AccountRail['open'] = async ({ expiresAt }) => ({
        state: 'open',
        providerReference: null,
        expiresAt,
        account: { ...bank, accountNumber: String(++opened).padStart(10, '0') },
      })
      const needsEmail = own.needs_email === true
      const accountRail: AccountRail = {
        name: account,
        needsEmail,
        open: openAccount,
        ask: openAccount,
        close: async () => {},
      }
      return {
        ports: {
          payout: {
            name: account,
            holdMs: 0,
            arrivalMs: 60_000,
            orderLifeMs: 0,
            obstacle: async () =>
              state.obstacle && { obstacle: state.obstacle, sentence: 'the test says so' },
            async send(order) {
              state.sent.push(order)
              return answer(order)
            },
            ask: async (order) => answer(order),
          },
          lookup: {
            name: account,
            async lookup() {
              state.lookups++
              return state.holder
            },
          },
          card: {
            name: account,
            hosts: ['checkout.example.com'],
            referenceOf: async () => 'none',
            start: async () => unknown,
            ask: async () => unknown,
          },
          bank_transfer: accountRail,
          account: accountRail,
        },
        check: () => state.check(),
        inbound: { verify: () => false, read: () => null },
      }
    },
  })
  return { provider, accounts }
}
