/**
 * The one script. Every page works without it: it keeps the chosen language from page to page,
 * copies samples, searches while the reader types, and tries operations with a test key.
 */
import { compact } from '../../../lib/html.ts'

const source = `
const radios = document.querySelectorAll('.languages input')
const stored = (() => { try { return localStorage.getItem('language') } catch { return null } })()
for (const radio of radios) {
  if (radio.value === stored) radio.checked = true
  radio.addEventListener('change', () => { try { localStorage.setItem('language', radio.value) } catch {} })
}
if (navigator.clipboard) for (const pre of document.querySelectorAll('pre')) {
  const around = document.createElement('div')
  around.className = 'copied ' + pre.className
  pre.replaceWith(around)
  const button = document.createElement('button')
  button.className = 'copy'
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  around.append(pre, button)
}
const q = document.getElementById('q')
const found = document.getElementById('found')
let typing
const look = async () => {
  const text = q.value.trim()
  if (text.length < 2) { found.hidden = true; return }
  const answer = await fetch('/docs/search?part=1&q=' + encodeURIComponent(text)).catch(() => null)
  if (!answer || !answer.ok || text !== q.value.trim()) return
  found.innerHTML = await answer.text()
  found.hidden = false
}
q.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(look, 200) })
q.form.addEventListener('keydown', (event) => {
  const links = [q, ...found.querySelectorAll('a')]
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (event.key === 'Escape') { found.hidden = true; q.focus() }
  if (!step || found.hidden) return
  event.preventDefault()
  links[links.indexOf(document.activeElement) + step]?.focus()
})
document.addEventListener('click', (event) => { if (!q.form.contains(event.target)) found.hidden = true })
const make = (tag, fields, ...parts) => {
  const element = Object.assign(document.createElement(tag), fields)
  element.append(...parts)
  return element
}
const kept = (key) => { try { if (key !== undefined) sessionStorage.setItem('test key', key); return sessionStorage.getItem('test key') ?? '' } catch { return '' } }
const tryForm = ({ dataset }) => {
  const [method, path] = dataset.try.split(' ')
  const key = make('input', { type: 'password', value: kept(), placeholder: 'sk_test_…', autocomplete: 'off', required: true, pattern: 'sk_test_.*', title: 'A test key, which begins with sk_test_' })
  const names = [...path.matchAll(/{(\\w+)}/g)].map(([, name]) => name)
  const ids = names.map((name) => make('input', { name, required: true }))
  const query = method === 'GET' ? make('input', { placeholder: 'limit=5' }) : null
  const body = dataset.body ? make('textarea', { value: dataset.body, rows: Math.min(16, dataset.body.split('\\n').length), spellcheck: false }) : null
  const label = (text, input) => make('label', {}, text, input)
  const status = make('p', {})
  status.setAttribute('role', 'status')
  const answer = make('pre', { className: 'plain', hidden: true, tabIndex: 0 })
  const form = make('form', {}, label('Your test key', key), ...ids.map((input) => label(input.name, input)))
  if (query) form.append(label('Query', query))
  if (body) form.append(label('Body', body))
  form.append(make('button', {}, 'Send ' + method + ' ' + path))
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    kept(key.value)
    const url = path.replace(/{(\\w+)}/g, (_, name) => encodeURIComponent(ids[names.indexOf(name)].value)) + (query && query.value ? '?' + query.value : '')
    const headers = { authorization: 'Bearer ' + key.value.trim() }
    if (body) headers['content-type'] = 'application/json'
    if (method === 'POST') headers['idempotency-key'] = crypto.randomUUID ? crypto.randomUUID() : String(Math.random())
    status.textContent = 'Sending …'
    const at = performance.now()
    try {
      const got = await fetch(url, { method, headers, body: body ? body.value : undefined })
      const text = await got.text()
      status.textContent = got.status + ' in ' + Math.round(performance.now() - at) + ' ms'
      answer.hidden = false
      try { answer.textContent = JSON.stringify(JSON.parse(text), null, 2) } catch { answer.textContent = text }
    } catch { status.textContent = 'The server did not answer.' }
  })
  return [form, status, answer]
}
for (const section of document.querySelectorAll('[data-try]')) {
  const details = make('details', { className: 'try' }, make('summary', {}, 'Try it'))
  details.addEventListener('toggle', () => { if (details.children.length === 1) details.append(...tryForm(section)) })
  section.lastElementChild.append(details)
}
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea')) return
  event.preventDefault()
  q.focus()
})
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
`

/** The text of the script, to the letter. */
export const script = compact(source)
