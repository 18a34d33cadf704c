/**
 * Pages that only say something: that there is nothing here, or that it cannot be done now.
 */

import { html } from '../../../lib/html.ts'
import { outcome } from './ended.ts'
import type { MessagePage } from './model.ts'
import { icons } from './parts.ts'
import { shell } from './shell.ts'
import { stringsFor } from './strings.ts'

const signs = {
  not_found: { icon: icons.question, kind: '' },
  too_many_tries: { icon: icons.late, kind: 'warn' },
  out_of_date: { icon: icons.late, kind: '' },
  error: { icon: icons.bigWarning, kind: 'warn' },
}

/**
 * The whole page. It tells nothing about the payment or the business, which may not be the reader's
 * to know.
 */
export function messagePage({ language, kind, retry }: MessagePage): string {
  const t = stringsFor(language)
  const { title, text } = t.messages[kind]
  const again =
    retry !== null &&
    html`<div class="onward"><a class="button" href="${retry}">${t.retry}</a></div>`
  return shell(
    t,
    { language, title, business: null, brand: null, livemode: true, here: retry },
    html`${outcome(signs[kind], title, text)}${again}`,
  )
}
