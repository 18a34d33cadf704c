/**
 * The logos of coins and networks: plain drawings of our own, each once a page. The name stands
 * beside a logo, which says nothing more.
 */
import { type Html, html, raw } from '../../../lib/html.ts'

const disc = (color: string): string => `<circle cx="12" cy="12" r="12" fill="${color}"/>`
const shape = (path: string, color = '#fff'): string => `<path fill="${color}" d="${path}"/>`
const stroke = (path: string, width: number, color = '#fff'): string =>
  `<path fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" d="${path}"/>`

/** By coin, 24 units wide. */
const coins: Record<string, string> = {
  usdc:
    disc('#2775ca') +
    stroke('M9 4.4a8 8 0 0 0 0 15.2M15 4.4a8 8 0 0 1 0 15.2', 1.7) +
    stroke(
      'M14.7 9.7C14.4 8.6 13.4 8 12 8c-1.6 0-2.7.8-2.7 2s1 1.7 2.7 2 2.8.9 2.8 2.1-1.2 2-2.8 2c-1.4 0-2.5-.7-2.8-1.8M12 6.4V8m0 8.1v1.5',
      1.6,
    ),
  usdt:
    disc('#26a17b') +
    shape(
      'M6.4 5.8h11.2v2.9h-4v1.7c3 .2 5.2.8 5.2 1.6s-2.2 1.4-5.2 1.6V19h-3.2v-5.4C7.4 13.4 5.2 12.8 5.2 12s2.2-1.4 5.2-1.6V8.7h-4z',
    ) +
    stroke('M6.6 12c1 .5 3 .7 5.4.7s4.4-.2 5.4-.7', 0.8, '#26a17b'),
}

/** By network, 24 units wide. */
const networks: Record<string, string> = {
  ethereum:
    disc('#627eea') +
    shape('M12 3 6.5 12 12 15.2l5.5-3.2z') +
    shape('m6.5 13.2 5.5 7.6 5.5-7.6-5.5 3.2z', '#dfe5fb'),
  base:
    disc('#0052ff') + shape('M12 19.4a7.4 7.4 0 1 0-7.4-8.2h9.8v1.6H4.6a7.4 7.4 0 0 0 7.4 6.6z'),
  polygon:
    disc('#8247e5') +
    stroke(
      'm8.5 8.4 3.2 1.8v3.6l-3.2 1.8-3.2-1.8v-3.6zm7 0 3.2 1.8v3.6l-3.2 1.8-3.2-1.8v-3.6z',
      1.7,
    ),
  arbitrum:
    disc('#213147') +
    stroke('M6.6 17.6 11 6.8h2l4.4 10.8', 2.2) +
    stroke('m10.6 16 2.2-5.4', 2, '#28a0f0'),
  optimism:
    disc('#ff0420') +
    stroke('M8.4 8.6a2.6 3.4 0 1 0 .1 0zM13.6 15.4l1.3-6.8h2a2.1 2.1 0 0 1 0 4.3h-2.6', 1.8),
  bsc:
    disc('#f3ba2f') +
    shape(
      'm12 9.7 2.3 2.3-2.3 2.3L9.7 12zM12 4.9l4.4 4.4-1.7 1.7L12 8.3 9.3 11 7.6 9.3zm0 14.2-4.4-4.4L9.3 13l2.7 2.7 2.7-2.7 1.7 1.7zM5 12l1.7-1.7L8.4 12l-1.7 1.7zm14 0-1.7 1.7-1.7-1.7 1.7-1.7z',
    ),
  avalanche: disc('#e84142') + shape('M12 4.8 4.6 17.6h4.9L14.4 9zm3.6 7.4-3 5.4h6z'),
  celo:
    disc('#fcff52') + shape('M6.6 6.6h10.8v3.6h-1.7a4.1 4.1 0 1 0 0 3.6h1.7v3.6H6.6z', '#1e1e1e'),
}

/** Of a network that has no logo here, such as one of the operator's own. */
const other =
  disc('#7a8291') +
  stroke('m12 5.6 5.6 3.2v6.4L12 18.4l-5.6-3.2V8.8zm-5.6 3.2L12 12l5.6-3.2M12 12v6.4', 1.5)

/** Test networks look like the main ones; their names say what they are. */
const networkOf = (network: string): string => {
  const name = network.replace(/-sepolia$/, '')
  return Object.hasOwn(networks, name) ? name : 'other'
}

const partsOf = (id: string): [coin: string, network: string] => {
  const [coin = '', network = ''] = id.split('.')
  return [coin, networkOf(network)]
}

/** A coin with its network in the corner, drawn from `logoSymbols`. @param id as `usdc.base` */
export function logo(id: string): Html {
  const [coin, network] = partsOf(id)
  return html`<svg class="logo-of" width="36" height="28" viewBox="0 0 36 28" aria-hidden="true"><use href="#coin-${coin}" width="26" height="26" y="1"/><circle cx="27" cy="19" r="9" fill="var(--sheet)"/><use href="#net-${network}" x="19.5" y="11.5" width="15" height="15"/></svg>`
}

/** The drawings that `logo` uses, once a page. @param ids as `usdc.base` */
export function logoSymbols(ids: readonly string[]): Html {
  const symbol = (id: string, drawing = ''): string =>
    `<symbol id="${id}" viewBox="0 0 24 24">${drawing}</symbol>`
  const parts = ids.map(partsOf)
  const drawings = [
    ...[...new Set(parts.map(([coin]) => coin))]
      .filter((coin) => Object.hasOwn(coins, coin))
      .map((coin) => symbol(`coin-${coin}`, coins[coin])),
    ...[...new Set(parts.map(([, network]) => network))].map((network) =>
      symbol(`net-${network}`, network === 'other' ? other : networks[network]),
    ),
  ]
  return html`<svg class="unseen" aria-hidden="true">${raw(drawings.join(''))}</svg>`
}
