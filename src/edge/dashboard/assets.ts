/**
 * What pages load: one stylesheet and one script, from here alone, under names that say what is in them.
 */
import type { App } from '../../core/app.ts'
import type { PageRoute } from '../../core/route.ts'
import { sha256Hex } from '../../lib/secrets.ts'
import { script } from './view/script.ts'
import { styles } from './view/styles.ts'

const assetOf = (name: string, kind: 'css' | 'js', text: string) => ({
  path: `/dashboard/assets/${name}-${sha256Hex(text).slice(0, 12)}.${kind}`,
  contentType: kind === 'css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
  text,
})

export const assets = { styles: assetOf('style', 'css', styles), script: assetOf('script', 'js', script) }

export const assetRoutes: PageRoute<App>[] = Object.values(assets).map(({ path, contentType, text }) => ({
  method: 'GET',
  path,
  counted: 'no',
  handler: async () => ({ asset: text, contentType }),
}))
