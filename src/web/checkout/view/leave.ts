/**
 * What leads a payer to a provider's page: a link, followed by itself. A redirect in answer to the
 * form is not an option, since browsers hold it against the policy of where forms may post to.
 */
import { html } from '../../../lib/html.ts'
import type { LeavePage } from './model.ts'
import { shell } from './shell.ts'
import { stringsFor } from './strings.ts'

/** The whole page. */
export function leavePage({
  language,
  livemode,
  business,
  brand,
  url,
  host,
  path,
}: LeavePage): string {
  const t = stringsFor(language)
  const words = t.leave
  const head = html`<meta http-equiv="refresh" content="0;url=${url}">`
  return shell(
    t,
    {
      language,
      title: t.titled(words.title, business),
      business,
      brand,
      livemode,
      here: null,
      head,
    },
    html`<section class="busy" aria-labelledby="way"><span class="spin" aria-hidden="true"></span>
<h1 id="way">${words.title}</h1><p>${words.means(host)}</p></section>
<div class="onward"><a class="button" href="${url}" rel="noreferrer">${words.go}</a>
<a class="link" href="${path}">${words.stay}</a></div>`,
  )
}
