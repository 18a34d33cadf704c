/**
 * What a look at a chain costs with 100, 10,000 and 100,000 deposit addresses: the same blocks are
 * read each time, of which one transfer in a hundred is ours.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, getAddress, type Hex, parseAbi } from 'viem'
import { open } from '../src/app/main.ts'
import { createBusiness } from '../src/books/businesses/businesses.ts'
import { chainDeposits } from '../src/collecting/deposits/deposits.ts'
import { useEmbedded } from '../src/db/cluster/embedded.ts'
import { newClient } from '../src/db/db.ts'
import { systemClock } from '../src/lib/clock.ts'
import { readConfig } from '../src/lib/config.ts'
import { newId } from '../src/lib/ids.ts'
import { type Chain, openChain } from '../src/rails/evm/chain.ts'
import type { Endpoint } from '../src/rails/evm/endpoint.ts'
import type { WatchParts } from '../src/rails/evm/parts.ts'
import type { EvmNetwork } from '../src/rails/evm/settings.ts'
import { newMemory, step } from '../src/rails/evm/watcher.ts'
import { type Anvil, startAnvil } from '../test/support/anvil.ts'
import { silent } from '../test/support/treasury.ts'

type Row = {
  addresses: number
  reading: string
  requests: number
  transfers: number
  deposits: number
  msPerBlock: number
  bookMsPerBlock: number
  cpuMsPerBlock: number
  idleMs: number
}

const counts = [0, 100, 10_000, 100_000]
const blocks = 96
const transfersPerBlock = 100
const payees = 100
const idleSteps = 50
/**
 * Blocks above those that are measured, so that these are far enough below the tip to be read in
 * ranges.
 */
const above = 70

const dir = mkdtempSync(join(tmpdir(), 'bursar-bench-'))
const embedded = await useEmbedded({ dir }, 'serve')
const anvil = await startAnvil()
try {
  const config = readConfig({
    DATABASE_URL: embedded.url,
    MIGRATE_DATABASE_URL: embedded.ownerUrl,
    SECRETS_KEY: '00'.repeat(32),
    LOG_LEVEL: 'fatal',
  })
  const opened = await open(config, 'tool')
  try {
    const { app } = opened
    const token = await anvil.deploy('USDC', 6)
    await anvil.mint(token, anvil.account(0).address, 10n ** 18n)
    const start = (await anvil.node.getBlockNumber({ cacheTime: 0 })) + 1n
    await fill(anvil, token)
    const business = (await createBusiness(app, 'Bench')).business.id
    const rows: Row[] = []
    let made = 0
    for (const count of counts) {
      await addAddresses(made, count)
      made = count
      for (const reading of ['blocks', 'ranges'] as const) rows.push(await measure(count, reading))
    }
    report(rows)

    /** Wallets with addresses `from` to `to`; the first hundred are those that the chain pays. */
    async function addAddresses(from: number, to: number): Promise<void> {
      const now = systemClock.now()
      const ids = Array.from({ length: Math.max(0, to - from) }, () => newId(now))
      const addresses = ids.map((_, index) => addressOf(from + index))
      await app.db.query(
        `with given as (select * from unnest($2::text[], $3::text[]) with ordinality as t (id, address, n)),
              wallets as (insert into crypto_wallets (business_id, livemode, id, address, rail, status, created_at, updated_at)
                          select $1, false, id, address, 'evm', 'active', $4, $4 from given)
         insert into crypto_addresses (address, business_id, livemode, kind, subject, key, index, created_at)
         select address, $1, false, 'wallet', id, 'bench', $5 + n, $4 from given`,
        [business, ids, addresses, now, from],
      )
      const owner = newClient(embedded.ownerUrl)
      await owner.connect()
      await owner.query('analyze crypto_addresses, crypto_wallets')
      await owner.end()
    }

    async function measure(addresses: number, reading: 'blocks' | 'ranges'): Promise<Row> {
      const network: EvmNetwork = {
        id: `bench-${addresses}-${reading}`,
        name: 'Bench',
        chain_id: 31_337,
        testnet: true,
        native_symbol: 'ETH',
        explorer: '',
        // Blocks are read one by one as far down as a deposit waits.
        confirmations: reading === 'blocks' ? 1_000 : 3,
        connected: true,
        tokens: { usdc: { contract_address: token, decimals: 6 } },
        livemode: false,
        rpc: [anvil.url],
        maxRange: 1_000,
        pollMs: 1_000,
        finalizedAbove: null,
        startBlock: start,
        stuckMs: 60_000,
        maxFeePerGas: 10n ** 12n,
        maxSweepFeePerGas: 10n ** 12n,
      }
      const log = {
        ...silent,
        error: (fields: object, text: string) => console.error(text, fields),
      }
      const seen = { transfers: 0, ms: 0 }
      let requests = 0
      const book = chainDeposits(app)
      const parts: WatchParts = {
        db: app.db,
        clock: systemClock,
        log,
        name: 'bench',
        chain: openChain(network),
        book: {
          ...book,
          // Crediting costs by the deposit, whatever the number of addresses.
          due: async () => [],
          async recordTransfers(tx, on, transfers) {
            const began = performance.now()
            const fresh = await book.recordTransfers(tx, on, transfers)
            seen.transfers += transfers.length
            seen.ms += performance.now() - began
            return fresh
          },
        },
      }
      parts.chain.on = counted(parts.chain.on, () => requests++)
      const memory = newMemory(network)
      // The first look only finds its place.
      await step(parts, memory)
      const end = start + BigInt(blocks) - 1n
      requests = 0
      const before = process.cpuUsage()
      const began = performance.now()
      for (let at = 0n; at < end; at = await placeOf(network)) await step(parts, memory)
      const ms = performance.now() - began
      const cpu = process.cpuUsage(before)
      const asked = requests
      while ((await step(parts, memory)).more);
      const idle = performance.now()
      for (let i = 0; i < idleSteps; i++) await step(parts, memory)
      const [found] = await app.db.query<{ n: bigint }>(
        'select count(*) as n from chain_deposits where network = $1',
        [network.id],
      )
      return {
        addresses,
        reading,
        requests: asked,
        transfers: seen.transfers,
        deposits: Number(found?.n),
        msPerBlock: ms / blocks,
        bookMsPerBlock: seen.ms / blocks,
        cpuMsPerBlock: (cpu.user + cpu.system) / 1_000 / blocks,
        idleMs: (performance.now() - idle) / idleSteps,
      }
    }

    async function placeOf({ id }: EvmNetwork): Promise<bigint> {
      const [row] = await app.db.query<{ at: bigint }>(
        'select block_number as at from evm_networks where network = $1',
        [id],
      )
      return row?.at ?? 0n
    }
  } finally {
    await opened.close()
  }
} finally {
  await anvil.stop()
  await embedded.release()
  rmSync(dir, { recursive: true, force: true })
}

/** Addresses that need no keys. */
function addressOf(index: number): string {
  return getAddress(`0x${'b0'.repeat(16)}${(index + 1).toString(16).padStart(8, '0')}`)
}

/** Blocks full of transfers from one account, all but one of each block to strangers. */
async function fill({ node, url, account, mine }: Anvil, token: string): Promise<void> {
  const from = account(0).address
  const abi = parseAbi(['function transfer(address to, uint256 units) returns (bool)'])
  let nonce = await node.getTransactionCount({ address: from })
  await node.setAutomine(false)
  for (let block = 0; block < blocks; block++) {
    const batch = Array.from({ length: transfersPerBlock }, (_, index) => {
      const n = block * transfersPerBlock + index
      const to =
        index === 0
          ? addressOf(block % payees)
          : getAddress(`0x${'5a'.repeat(16)}${n.toString(16).padStart(8, '0')}`)
      const data = encodeFunctionData({
        abi,
        functionName: 'transfer',
        args: [to as Hex, 1_000_000n],
      })
      const transaction = {
        from,
        to: token,
        data,
        gas: '0x186a0',
        nonce: `0x${(nonce++).toString(16)}`,
      }
      return { jsonrpc: '2.0', id: index, method: 'eth_sendTransaction', params: [transaction] }
    })
    await fetch(url, {
      method: 'POST',
      body: JSON.stringify(batch),
      headers: { 'content-type': 'application/json' },
    })
    await mine(1)
  }
  await node.setAutomine(true)
  await mine(above)
}

/** A chain whose requests are counted. */
function counted(on: Chain['on'], count: () => void): Chain['on'] {
  return (work) =>
    on((endpoint) =>
      work(
        new Proxy(endpoint, {
          get(target, name: keyof Endpoint) {
            const method = target[name]
            if (typeof method !== 'function') return method
            return (...args: never[]) => {
              count()
              return (method as (...given: never[]) => unknown)(...args)
            }
          },
        }),
      ),
    )
}

function report(rows: Row[]): void {
  const table = [
    [
      'addresses',
      'read in',
      'requests',
      'transfers',
      'deposits',
      'ms a block',
      'in the books',
      'CPU',
      'idle look, ms',
    ],
    ...rows.map((row) => [
      row.addresses.toLocaleString('en'),
      row.reading,
      String(row.requests),
      String(row.transfers),
      String(row.deposits),
      row.msPerBlock.toFixed(2),
      row.bookMsPerBlock.toFixed(2),
      row.cpuMsPerBlock.toFixed(2),
      row.idleMs.toFixed(2),
    ]),
  ]
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((line) => line[column]?.length ?? 0)),
  )
  for (const line of table)
    console.log(line.map((cell, column) => cell.padStart(widths[column] as number)).join('  '))
  console.log(
    `${blocks} blocks of ${transfersPerBlock} transfers, one of them ours; node, database and watcher on one machine.`,
  )
}
