/**
 * The one script. The page works without it: it counts down, copies, groups the digits of a card,
 * keeps the page up to date and stops a form from being sent twice. What it needs to know stands in
 * data-* attributes.
 */
import { compact } from '../../../lib/html.ts'
import { faultsOf } from './cards.ts'

// Old browsers of cheap phones run this: nothing newer than ES2017, and what may be missing is
// asked for first.
const source = String.raw`
(() => {
'use strict'
const doc = document
const main = doc.querySelector('main')
const live = doc.getElementById('live')
let deadline = 0, ended = false, ticker, leaving
let source, poller, retry, errors = 0, tries = 0, loading = false, again = false, sent

const all = (what, where) => Array.from((where || main).querySelectorAll(what))
const say = (text) => {
  live.textContent = ''
  // A region that changes twice at once is not read out.
  if (text) setTimeout(() => { live.textContent = text }, 150)
}

// Time left.
const two = (n) => (n < 10 ? '0' : '') + n
const tick = () => {
  const clock = main.querySelector('[data-seconds]')
  if (!clock) return
  const left = Math.max(0, Math.ceil((deadline - Date.now()) / 1000))
  const words = clock.dataset
  const text = left >= 172800 ? words.days.replace('{}', Math.floor(left / 86400))
    : left >= 7200 ? words.hours.replace('{}', Math.floor(left / 3600))
    : left >= 3600 ? words.hour
    : words.minutes.replace('{}', two(Math.floor(left / 60)) + ':' + two(left % 60))
  if (clock.lastElementChild.textContent !== text) clock.lastElementChild.textContent = text
  clock.classList.toggle('soon', left <= 60)
  if (left === 60) say(clock.dataset.soon)
  if (left === 0) {
    clearInterval(ticker)
    if (!ended) setTimeout(refresh, 2000)
    ended = true
  }
}

// The brands that the number does not begin as are dimmed, once it begins as one.
const brand = () => {
  const field = doc.getElementById('number')
  const digits = field ? field.value.replace(/\D/g, '') : ''
  const marks = all('[data-brand]')
  const is = (el) => new RegExp(el.dataset.brand).test(digits)
  const known = marks.some(is)
  marks.forEach((el) => { el.classList.toggle('other', known && !is(el)) })
}

// What has to be done for content that is new.
const begin = () => {
  brand()
  const field = doc.getElementById('number')
  // The browser's own bubbles would say it first, in its own language.
  if (field) field.form.noValidate = true
  all('[data-js]').forEach((el) => { el.hidden = false })
  clearTimeout(leaving)
  if (main.dataset.leave) leaving = setTimeout(() => location.assign(main.dataset.leave), 5000)
  clearInterval(ticker)
  const clock = main.querySelector('[data-seconds]')
  if (!clock) return
  deadline = Date.now() + Number(clock.dataset.seconds) * 1000
  ticker = setInterval(tick, 1000)
  tick()
}

// A new state of the page takes the place of the old one. What was typed stays, while there is the
// same form.
const swap = (page, other) => {
  const next = page.querySelector('main')
  if (!next || !other && next.dataset.version === main.dataset.version) return
  const same = next.dataset.form === main.dataset.form
  const active = main.contains(doc.activeElement) ? doc.activeElement : null
  const typed = all('input[id]').map((el) => [el.id, el.value])
  const caret = active && active.selectionStart
  const open = all('details[open]').map((el) => el.id)
  Array.from(main.attributes).forEach((a) => main.removeAttribute(a.name))
  Array.from(next.attributes).forEach((a) => main.setAttribute(a.name, a.value))
  all('[autofocus]', next).forEach((el) => el.removeAttribute('autofocus'))
  main.textContent = ''
  while (next.firstChild) main.appendChild(doc.adoptNode(next.firstChild))
  doc.title = page.title
  open.forEach((id) => { const el = doc.getElementById(id); if (el) el.open = true })
  if (same) typed.forEach((pair) => { const el = doc.getElementById(pair[0]); if (el) el.value = pair[1] })
  begin()
  if (active) {
    const back = same && active.id && doc.getElementById(active.id)
    if (back) {
      back.focus()
      if (typeof caret === 'number') back.setSelectionRange(caret, caret)
    } else {
      const h1 = main.querySelector('h1')
      h1.tabIndex = -1
      h1.focus()
    }
  }
  say(main.dataset.say)
  connect()
}

// Another language of the page, with what was typed. Who does not get it this way follows the link.
const translate = (url) => {
  fetch(url, { cache: 'no-store', credentials: 'same-origin' })
    .then((answer) => answer.ok ? answer.text() : Promise.reject(answer))
    .then((text) => {
      if (sent) return
      const page = new DOMParser().parseFromString(text, 'text/html')
      const root = doc.documentElement
      ;['lang', 'dir'].forEach((name) => root.setAttribute(name, page.documentElement.getAttribute(name)))
      ;['header', 'footer'].forEach((name) => {
        const old = doc.querySelector(name), next = page.querySelector(name)
        if (old && next) old.parentNode.replaceChild(doc.adoptNode(next), old)
      })
      swap(page, true)
      const link = doc.querySelector('.languages [aria-current]')
      link.tabIndex = -1
      link.focus()
    })
    .catch(() => location.assign(url))
}

// News that could not be fetched is asked for again: the stream tells of it once.
const later = () => {
  tries += 1
  clearTimeout(retry)
  if (!poller) retry = setTimeout(check, Math.min(60, 2 ** tries) * 1000)
}
const refresh = () => {
  // The page is about to be another one anyway.
  if (sent) return
  if (loading) { again = true; return }
  loading = true
  fetch(main.dataset.url, { cache: 'no-store', credentials: 'same-origin' })
    .then((answer) => answer.ok ? answer.text() : Promise.reject(answer))
    .then((text) => { tries = 0; if (!sent) swap(new DOMParser().parseFromString(text, 'text/html')) })
    .catch(later)
    .then(() => {
      loading = false
      if (again) { again = false; check() }
    })
}
const seen = (version) => {
  if (version === main.dataset.version) tries = 0
  else if (version) refresh()
}
const check = () => {
  const path = main.dataset.live
  if (!path || sent) return
  fetch(path + '/status', { cache: 'no-store', credentials: 'same-origin' })
    .then((answer) => answer.ok ? answer.json() : Promise.reject(answer))
    .then((status) => seen(status.version))
    .catch(later)
}

const rest = () => {
  clearInterval(poller)
  poller = 0
}
const stop = () => {
  if (source) source.close()
  source = null
  rest()
}
const poll = () => { if (!poller) poller = setInterval(check, 4000) }
const connect = () => {
  const path = main.dataset.live
  if (!path) return stop()
  if (source || !window.fetch) return
  if (!window.EventSource || errors >= 3) return poll()
  source = new EventSource(path + '/events')
  source.onopen = () => { errors = 0; rest() }
  source.onmessage = (event) => seen(event.data)
  source.onerror = () => {
    // A refusal ends it: the browser does not try again by itself.
    errors = source.readyState === 2 ? 3 : errors + 1
    if (errors >= 3) stop()
    // Until the stream is open again, if ever, the page asks.
    poll()
  }
}

// Copying.
const copy = (text, done) => {
  const old = () => {
    const area = doc.createElement('textarea')
    area.value = text
    area.readOnly = true
    area.className = 'unseen'
    doc.body.appendChild(area)
    area.select()
    const copied = doc.execCommand('copy')
    area.remove()
    if (copied) done()
  }
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, old)
  else old()
}
doc.addEventListener('click', (event) => {
  const link = event.target.closest('a[hreflang]')
  if (link && window.fetch && !sent && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    translate(link.href)
  }
  const button = event.target.closest('button')
  if (!button) return
  const data = button.dataset
  if (data.copy) {
    copy(data.copy, () => {
      // Only the word that is seen: what is copied stays part of the button's name.
      const word = button.firstChild
      const label = data.label || (data.label = word.nodeValue)
      word.nodeValue = data.done
      say(data.done)
      button.focus()
      setTimeout(() => { word.nodeValue = label }, 2000)
    })
  }
  if (data.fill) {
    data.fill.split('|').forEach((value, i) => { doc.getElementById(['number', 'expiry', 'cvc'][i]).value = value })
    brand()
    all('[data-faults]').forEach((el) => { mark(el) })
    doc.querySelector('.pay').focus()
  }
})

// Sending a form once. The buttons are disabled after the form was read, since a disabled one would
// not be sent.
const release = () => {
  clearTimeout(sent)
  sent = null
  all('button[data-was]').forEach((el) => {
    el.disabled = false
    if (el.dataset.busy) el.textContent = el.dataset.was
    el.removeAttribute('data-was')
  })
}
doc.addEventListener('submit', (event) => {
  if (sent) return event.preventDefault()
  const fields = all('[data-faults]', event.target)
  const wrong = fields.length && faults()
  const bad = fields.filter((el) => mark(el, wrong))
  if (bad.length) {
    event.preventDefault()
    return bad[0].focus()
  }
  sent = setTimeout(() => { release(); check() }, 20000)
  setTimeout(() => {
    all('form button').forEach((el) => {
      el.dataset.was = el.textContent
      el.disabled = true
      if (el.dataset.busy && event.target.contains(el)) { el.textContent = el.dataset.busy; say(el.dataset.busy) }
    })
  }, 0)
})

// A card is checked before it is sent: each fault is said beside its field, and what was typed stays.
const ours = (text) => text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => digit.charCodeAt(0) & 15)
const faultsOf = ${faultsOf}
const faults = () => {
  const typed = (name) => ours(doc.getElementById(name).value)
  const earliest = Number(doc.getElementById('expiry').dataset.earliest)
  return faultsOf({ number: typed('number'), expiry: typed('expiry'), cvc: typed('cvc') }, earliest)
}
// Says which of these faults the field has, if any, and takes away what was said before.
const mark = (el, found) => {
  const words = JSON.parse(el.dataset.faults)
  const fault = (found || []).find((one) => words[one])
  const ids = [el.id + '-error', el.id + '-hint']
  let said = doc.getElementById(ids[0])
  if (said && !fault) said.remove()
  if (!said && fault) {
    said = doc.createElement('p')
    said.id = ids[0]
    said.className = 'wrong'
    said.setAttribute('role', 'alert')
    el.parentNode.parentNode.appendChild(said)
  }
  if (fault) said.textContent = words[fault]
  el.parentNode.classList.toggle('bad', Boolean(fault))
  if (fault) el.setAttribute('aria-invalid', 'true')
  else el.removeAttribute('aria-invalid')
  const about = ids.filter((id) => doc.getElementById(id)).join(' ')
  if (about) el.setAttribute('aria-describedby', about)
  else el.removeAttribute('aria-describedby')
  return fault
}
// On the way to another field. A click on the button checks anyway, and the button must not move.
doc.addEventListener('focusout', (event) => {
  const el = event.target
  const next = event.relatedTarget
  if (el.dataset.faults && el.value && next && next.form === el.form && next.dataset.faults) mark(el, faults())
})

// Typing a card, on an Arabic keyboard too.
doc.addEventListener('input', (event) => {
  const el = event.target
  const kind = el.dataset.digits
  if (!kind) return
  const removing = /^delete/.test(event.inputType || '')
  const before = ours(el.value.slice(0, el.selectionStart)).replace(/\D/g, '').length
  const atEnd = el.selectionStart === el.value.length
  let digits = ours(el.value).replace(/\D/g, '')
  let text = digits
  if (kind === 'number') text = digits.slice(0, 19).replace(/(.{4})(?=.)/g, '$1 ')
  if (kind === 'expiry') {
    if (/^[2-9]/.test(digits)) digits = '0' + digits
    // A browser that fills in the card writes the year in full.
    if (digits.length > 4) digits = digits.slice(0, 2) + digits.slice(-2)
    const slash = digits.length > 2 || (digits.length === 2 && !removing)
    text = slash ? digits.slice(0, 2) + '/' + digits.slice(2, 4) : digits
  }
  const same = text === el.value
  if (!same) el.value = text
  if (kind === 'number') brand()
  // A fault goes as soon as it is mended.
  if (el.getAttribute('aria-invalid')) mark(el, faults())
  if (same || atEnd) return
  let at = 0
  for (let n = 0; n < before && at < text.length; at++) if (/\d/.test(text[at])) n += 1
  el.setSelectionRange(at, at)
})

// A phone that comes back from the bank's app, or to this page by the back button, wants to see how
// things stand.
doc.addEventListener('visibilitychange', () => { if (!doc.hidden) check() })
addEventListener('online', check)
addEventListener('pagehide', stop)
addEventListener('pageshow', (event) => {
  release()
  if (event.persisted) { connect(); check() }
})
begin()
connect()
})()
`

/** The text of `<script>`, to the letter. */
export const script = compact(source)
