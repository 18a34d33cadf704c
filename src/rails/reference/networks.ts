/**
 * The stablecoins, and the contracts that are them. A token is known by chain and contract address,
 * never by its symbol.
 *
 * Sources: public token lists (Uniswap default, PancakeSwap, Ubeswap, Trust Wallet assets), the
 * USDT0 deployment table and Circle's announcement for Polygon, collected in November 2026. Lists
 * have been wrong about decimals, so a rail that speaks to a chain must ask the contract for its
 * own `decimals()` before it trusts a row.
 */
import type { CryptoCurrency } from '../../lib/money.ts'

export type Token = {
  /** With its EIP-55 checksum. */
  contract_address: string
  /**
   * The token's decimals. Amounts are cents everywhere else, so one cent is `10^(decimals - 2)`
   * units.
   */
  decimals: number
}

export type Network = {
  /** The `chain` of a destination. */
  id: string
  name: string
  /** Source: https://eips.ethereum.org/EIPS/eip-155 */
  chain_id: number
  testnet: boolean
  native_symbol: string
  explorer: string
  /** Blocks on top of a deposit before it is credited. Our policy, from block time and finality. */
  confirmations: number
  /** Whether this server uses the network. In test mode the sandbox simulates all others. */
  connected: boolean
  /** Tokens backed by their issuer or by the chain's own exchange; others are missing. */
  tokens: Partial<Record<CryptoCurrency, Token>>
}

export const tokenNames: Record<CryptoCurrency, string> = { usdc: 'USD Coin', usdt: 'Tether USD' }

/**
 * Main networks first.
 *
 * A trap: on BSC both tokens are Binance's wrappers with 18 decimals, not the issuers' own;
 * everywhere else they have 6. Reading one as the other is wrong by a factor of 10^12.
 */
const known: readonly Omit<Network, 'connected'>[] = [
  {
    id: 'ethereum',
    name: 'Ethereum',
    chain_id: 1,
    testnet: false,
    native_symbol: 'ETH',
    explorer: 'https://etherscan.io',
    confirmations: 32,
    tokens: {
      usdc: { contract_address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', decimals: 6 },
      usdt: { contract_address: '0xdAC17F958D2ee523a2206206994597C13D831ec7', decimals: 6 },
    },
  },
  {
    id: 'base',
    name: 'Base',
    chain_id: 8453,
    testnet: false,
    native_symbol: 'ETH',
    explorer: 'https://basescan.org',
    confirmations: 20,
    tokens: {
      usdc: { contract_address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6 },
    },
  },
  {
    id: 'polygon',
    name: 'Polygon PoS',
    chain_id: 137,
    testnet: false,
    native_symbol: 'POL',
    explorer: 'https://polygonscan.com',
    confirmations: 64,
    tokens: {
      usdc: { contract_address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', decimals: 6 },
      usdt: { contract_address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', decimals: 6 },
    },
  },
  {
    id: 'arbitrum',
    name: 'Arbitrum One',
    chain_id: 42161,
    testnet: false,
    native_symbol: 'ETH',
    explorer: 'https://arbiscan.io',
    // A block takes a quarter of a second here: this is one minute.
    confirmations: 240,
    tokens: {
      usdc: { contract_address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', decimals: 6 },
      usdt: { contract_address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', decimals: 6 },
    },
  },
  {
    id: 'optimism',
    name: 'OP Mainnet',
    chain_id: 10,
    testnet: false,
    native_symbol: 'ETH',
    explorer: 'https://optimistic.etherscan.io',
    confirmations: 20,
    tokens: {
      usdc: { contract_address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', decimals: 6 },
      usdt: { contract_address: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071', decimals: 6 },
    },
  },
  {
    id: 'bsc',
    name: 'BNB Smart Chain',
    chain_id: 56,
    testnet: false,
    native_symbol: 'BNB',
    explorer: 'https://bscscan.com',
    confirmations: 20,
    tokens: {
      usdc: { contract_address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', decimals: 18 },
      usdt: { contract_address: '0x55d398326f99059fF775485246999027B3197955', decimals: 18 },
    },
  },
  {
    id: 'avalanche',
    name: 'Avalanche C-Chain',
    chain_id: 43114,
    testnet: false,
    native_symbol: 'AVAX',
    explorer: 'https://snowtrace.io',
    confirmations: 12,
    tokens: {
      usdc: { contract_address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', decimals: 6 },
      usdt: { contract_address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7', decimals: 6 },
    },
  },
  {
    id: 'celo',
    name: 'Celo',
    chain_id: 42220,
    testnet: false,
    native_symbol: 'CELO',
    explorer: 'https://celoscan.io',
    confirmations: 20,
    tokens: {
      usdc: { contract_address: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', decimals: 6 },
      usdt: { contract_address: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', decimals: 6 },
    },
  },
  {
    id: 'ethereum-sepolia',
    name: 'Ethereum Sepolia',
    chain_id: 11155111,
    testnet: true,
    native_symbol: 'ETH',
    explorer: 'https://sepolia.etherscan.io',
    confirmations: 3,
    tokens: {
      usdc: { contract_address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', decimals: 6 },
    },
  },
  {
    id: 'base-sepolia',
    name: 'Base Sepolia',
    chain_id: 84532,
    testnet: true,
    native_symbol: 'ETH',
    explorer: 'https://sepolia.basescan.org',
    confirmations: 3,
    tokens: {
      usdc: { contract_address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6 },
    },
  },
]

/** The networks, as for a server that uses none of them. */
export const knownNetworks: readonly Network[] = known.map((network) => ({
  ...network,
  connected: false,
}))

/**
 * Bridged contracts with the same names that must never be credited, because their issuer does not
 * redeem them.
 *
 * Never match by symbol: some of these call themselves USDC or USDT on chain, while the true USDT
 * of some networks calls itself USD₮0. Only the pair of network and address distinguishes them.
 */
export const legacyLookAlikes: readonly {
  network: string
  symbol: string
  contract_address: string
}[] = [
  {
    network: 'polygon',
    symbol: 'USDC.e',
    contract_address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
  },
  {
    network: 'arbitrum',
    symbol: 'USDC.e',
    contract_address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
  },
  {
    network: 'optimism',
    symbol: 'USDC.e',
    contract_address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
  },
  {
    network: 'optimism',
    symbol: 'USDT (legacy bridge)',
    contract_address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  },
  {
    network: 'avalanche',
    symbol: 'USDC.e',
    contract_address: '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664',
  },
  {
    network: 'avalanche',
    symbol: 'USDT.e',
    contract_address: '0xc7198437980c041c805A1EDcbA50c1Ce5db95118',
  },
  {
    network: 'base',
    symbol: 'USDT (bridged)',
    contract_address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
  },
]

/**
 * Returns a token's networks: for live keys only main networks; for test keys all, because the
 * sandbox simulates those that the server does not use.
 */
export function networksOf(
  networks: readonly Network[],
  currency: CryptoCurrency,
  livemode: boolean,
): Network[] {
  return networks.filter(
    (network) => network.tokens[currency] !== undefined && !(livemode && network.testnet),
  )
}

/**
 * Returns a token on a network, or null if it is not supported in this mode.
 * @param chain the network's `id`
 */
export function findNetwork(
  networks: readonly Network[],
  currency: CryptoCurrency,
  chain: string,
  livemode: boolean,
): { network: Network; token: Token } | null {
  const network = networksOf(networks, currency, livemode).find((one) => one.id === chain)
  const token = network?.tokens[currency]
  return network && token ? { network, token } : null
}

/** Whether an address is a contract of one of these tokens, or of a look-alike, on a network. */
export function isTokenContract(
  networks: readonly Network[],
  chain: string,
  address: string,
): boolean {
  const network = networks.find((one) => one.id === chain)
  return (
    Object.values(network?.tokens ?? {}).some((token) => token.contract_address === address) ||
    legacyLookAlikes.some((one) => one.network === chain && one.contract_address === address)
  )
}
