/**
 * The one script. Every page works without it: it keeps forms from being sent twice, keeps what was
 * typed until it is done, but for passwords and identity numbers, copies, and shows events as they
 * come.
 */
import { compact } from '../../../lib/html.ts'

const source = `
const draft = 'draft ' + location.pathname
const typedOf = (form) => [...form.elements].filter(({ name, type }) => name && name !== 'id_number' && !['hidden', 'password', 'file', 'submit'].includes(type))
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.draft) sessionStorage.setItem(draft, JSON.stringify(typedOf(form).map((one) => [one.name, one.type === 'checkbox' ? one.checked : one.value])))
  if (form.dataset.sent) { event.preventDefault(); return }
  form.dataset.sent = '1'
  setTimeout(() => { for (const button of form.querySelectorAll('button')) button.disabled = true })
})
// A page that comes out of the browser's memory can be sent again: its form has its key.
addEventListener('pageshow', (event) => {
  if (!event.persisted) return
  for (const form of document.forms) { delete form.dataset.sent; for (const button of form.querySelectorAll('button')) button.disabled = false }
})
for (const field of document.querySelectorAll('[data-send]')) field.addEventListener('change', () => field.form.requestSubmit())
for (const button of document.querySelectorAll('[data-copy]')) {
  if (!navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy)
    const label = button.textContent
    button.textContent = button.dataset.done
    setTimeout(() => { button.textContent = label }, 1500)
  })
}
const all = document.querySelector('[data-all]')
if (all) {
  all.parentElement.hidden = false
  all.addEventListener('change', () => { for (const one of all.form.querySelectorAll('.picked input')) one.checked = all.checked })
}
if (document.querySelector('[data-again]')) setTimeout(() => location.reload(), 5000)
if (new URLSearchParams(location.search).has('done')) for (const name of Object.keys(sessionStorage)) if (name.startsWith('draft ')) sessionStorage.removeItem(name)
// Of a page that was posted, the browser keeps no copy: going back and reloading load the form, with
// its draft, or the page that is named.
const posted = document.querySelector('[data-posted]')
if (posted) history.replaceState(null, '', posted.dataset.posted || location.href)
const kept = sessionStorage.getItem(draft)
const fresh = document.querySelector('[data-draft=fresh]')
if (kept && fresh) for (const [name, value] of JSON.parse(kept)) for (const one of typedOf(fresh)) if (one.name === name) one.type === 'checkbox' ? one.checked = value : one.value = value
const live = document.querySelector('[data-live]')
if (live) {
  const stream = new EventSource(live.dataset.live)
  const say = (state) => { document.getElementById('live-state').textContent = live.dataset[state] }
  stream.onopen = () => say('on')
  stream.onerror = () => say(stream.readyState === EventSource.CLOSED ? 'off' : 'wait')
  stream.onmessage = ({ data }) => {
    const made = document.createElement('template')
    made.innerHTML = data
    const item = made.content.firstElementChild
    if (document.getElementById(item.id)) return
    document.getElementById('live-empty')?.remove()
    live.prepend(item)
    if (live.children.length > 100) live.lastElementChild.remove()
  }
  addEventListener('pagehide', () => stream.close())
  addEventListener('pageshow', (event) => { if (event.persisted) location.reload() })
}
// Parts of the page that a stream sends again replace those of the same id.
const followed = document.querySelector('[data-follow]')
if (followed) {
  const stream = new EventSource(followed.dataset.follow)
  stream.onmessage = ({ data }) => {
    const made = document.createElement('template')
    made.innerHTML = data
    for (const part of [...made.content.children]) document.getElementById(part.id)?.replaceWith(part)
  }
  stream.addEventListener('over', () => { stream.close(); location.reload() })
  addEventListener('pagehide', () => stream.close())
}
// The search of the menu, over the page: its results are those of the page that it has without scripts.
const search = document.querySelector('[data-search]')
if (search) {
  const palette = document.createElement('dialog')
  palette.className = 'palette'
  palette.innerHTML = '<form method="get"><div class="input"><input type="search" name="q" maxlength="200"></div></form><div></div>'
  const [form, found] = palette.children
  const input = form.elements.q
  form.action = search.form.action
  input.ariaLabel = search.ariaLabel
  document.body.append(palette)
  let waits, asked = 0
  const ask = async () => {
    const mine = ++asked
    const response = await fetch(form.action + '?q=' + encodeURIComponent(input.value))
    const made = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('found')
    if (mine === asked && made) found.replaceChildren(...made.childNodes)
  }
  input.addEventListener('input', () => { clearTimeout(waits); waits = setTimeout(ask, 250) })
  const open = () => { palette.showModal(); input.select(); ask() }
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, select')
    const wanted = event.key === 'k' && (event.ctrlKey || event.metaKey) || event.key === '/' && !typing && !event.ctrlKey
    if (wanted && !palette.open) { event.preventDefault(); open() }
    // In a search field, Escape would clear what is typed.
    if (palette.open && event.key === 'Escape') palette.close()
    const links = [input, ...found.querySelectorAll('a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (palette.open && step) { event.preventDefault(); links[links.indexOf(document.activeElement) + step]?.focus() }
  })
  palette.addEventListener('click', (event) => { if (event.target === palette) palette.close() })
}
// The way back to a list keeps its filters.
const listed = 'list ' + location.pathname
if (document.querySelector('table.list') || location.search) sessionStorage.setItem(listed, location.search)
for (const link of document.querySelectorAll('.crumbs a')) link.search = sessionStorage.getItem('list ' + link.pathname) ?? link.search
// The server works out what the form comes to.
const total = document.querySelector('[data-total]')
if (total) {
  const form = total.closest('form')
  let waits, asked = 0
  form.addEventListener('input', () => {
    clearTimeout(waits)
    waits = setTimeout(async () => {
      const mine = ++asked
      const body = new URLSearchParams(new FormData(form))
      body.set('step', 'total')
      const response = await fetch(location.pathname, { method: 'POST', body })
      if (mine !== asked || !response.ok) return
      const made = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('form-total')
      if (made) total.replaceChildren(...made.childNodes)
    }, 400)
  })
}
document.querySelector('.field.bad input, .field.bad select, .field.bad textarea')?.focus()
`

/** The text of the script, to the letter. */
export const script = compact(source)
