/**
 * What pages load: a stylesheet, a script, another for passkeys, and what browsers need to install
 * the dashboard as an app. All of it is from here alone, under names that say what is in it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../core/app.ts'
import type { PageRoute } from '../../core/route.ts'
import { sha256Hex } from '../../lib/secrets.ts'
import { passkeyScript } from './view/passkey-script.ts'
import { script } from './view/script.ts'
import { en } from './view/strings.ts'
import { colors, styles } from './view/styles.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
} as const

const assetOf = (name: string, kind: keyof typeof types, content: string | Buffer) => ({
  path: `/dashboard/assets/${name}-${sha256Hex(content).slice(0, 12)}.${kind}`,
  contentType: types[kind],
  content,
})

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c4fd6"/>' +
  '<path d="M11 8h6.5a4 4 0 0 1 1.5 7.7A4.3 4.3 0 0 1 17.7 24H11zm0 7.8h6.5" fill="none" stroke="#fff" stroke-width="2.6"/></svg>'

/** The same as PNG files in base64, by their size, without rounded corners: systems cut their own. */
const pictures = JSON.parse(
  readFileSync(join(import.meta.dirname, 'view/app-icons.json'), 'utf8'),
) as Record<'192' | '512', string>
const pictureOf = (size: keyof typeof pictures) =>
  assetOf(`icon-${size}`, 'png', Buffer.from(pictures[size], 'base64'))
const icon192 = pictureOf('192')
const icon512 = pictureOf('512')

/**
 * How browsers install the dashboard as an app. There is no service worker: pages show money, so
 * none is kept, and without a network there is none.
 */
const manifest = {
  id: '/dashboard',
  name: `${en.product} dashboard`,
  short_name: en.product,
  start_url: '/dashboard',
  scope: '/dashboard',
  display: 'standalone',
  lang: 'en',
  background_color: colors.light.back,
  theme_color: colors.light.back,
  icons: [icon192, icon512].map(({ path, contentType }, i) => ({
    src: path,
    sizes: ['192x192', '512x512'][i],
    type: contentType,
    purpose: 'any maskable',
  })),
}

export const assets = {
  styles: assetOf('style', 'css', styles),
  script: assetOf('script', 'js', script),
  passkeys: assetOf('passkeys', 'js', passkeyScript),
  icon: assetOf('icon', 'svg', icon),
  icon192,
  icon512,
  manifest: assetOf('app', 'webmanifest', JSON.stringify(manifest)),
}

export const assetRoutes: PageRoute<App>[] = Object.values(assets).map(
  ({ path, contentType, content }) => ({
    method: 'GET',
    path,
    counted: 'no',
    handler: async () => ({ asset: content, contentType }),
  }),
)
