/**
 * What the documents load: one stylesheet, one script and the icon of the tab, from here alone,
 * under names that say what is in them.
 */
import type { App } from '../../core/app.ts'
import type { PageRoute } from '../../core/route.ts'
import { sha256Hex } from '../../lib/secrets.ts'
import { script } from './view/script.ts'
import { styles } from './view/styles.ts'

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const

const assetOf = (name: string, kind: keyof typeof types, text: string) => ({
  path: `/docs/assets/${name}-${sha256Hex(text).slice(0, 12)}.${kind}`,
  contentType: types[kind],
  text,
})

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c4fd6"/>' +
  '<path d="M11 8h6.5a4 4 0 0 1 1.5 7.7A4.3 4.3 0 0 1 17.7 24H11zm0 7.8h6.5" fill="none" stroke="#fff" stroke-width="2.6"/></svg>'

export const assets = {
  styles: assetOf('style', 'css', styles),
  script: assetOf('script', 'js', script),
  icon: assetOf('icon', 'svg', icon),
}

export const assetRoutes: PageRoute<App>[] = Object.values(assets).map(
  ({ path, contentType, text }) => ({
    method: 'GET',
    path,
    counted: 'no',
    handler: async () => ({ asset: text, contentType }),
  }),
)
