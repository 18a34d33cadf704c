/**
 * Texts of machines: what was sent, and what came back.
 */
import { type Html, html } from '../../../lib/html.ts'

/** A text as it is. */
export const source = (text: string): Html =>
  html`<pre class="source" tabindex="0"><code>${text}</code></pre>`

/** Data as JSON, indented. */
export const json = (data: unknown): Html => source(JSON.stringify(data, null, 2))
