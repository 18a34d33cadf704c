/**
 * The one script. Every page works without it: it keeps the chosen language from page to page,
 * copies samples, and jumps to the search by `/`.
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
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea')) return
  event.preventDefault()
  document.getElementById('q').focus()
})
if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
`

/** The text of the script, to the letter. */
export const script = compact(source)
