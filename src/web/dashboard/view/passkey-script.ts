/**
 * The script of passkeys: only a script can ask a browser for one. It asks the server for a
 * challenge, the browser for the answer, and sends that with the form.
 */
import { compact } from '../../../lib/html.ts'

const source = `
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
const textOf = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const makes = {
  get: async (options) => {
    const { id, type, response } = await navigator.credentials.get({ publicKey: options })
    return [id, type, response, { authenticatorData: textOf(response.authenticatorData), signature: textOf(response.signature),
      ...(response.userHandle && { userHandle: textOf(response.userHandle) }) }]
  },
  create: async (options) => {
    options.user.id = bytesOf(options.user.id)
    for (const one of options.excludeCredentials) one.id = bytesOf(one.id)
    const { id, type, response } = await navigator.credentials.create({ publicKey: options })
    return [id, type, response, { attestationObject: textOf(response.attestationObject), transports: response.getTransports?.() ?? [] }]
  },
}
for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!window.PublicKeyCredential) continue
  const { passkey, challenge, origin } = form.dataset
  const [button, failed, elsewhere] = ['button', '[data-failed]', '[data-elsewhere]'].map((what) => form.querySelector(what))
  form.hidden = false
  for (const hint of document.querySelectorAll('[data-unknown]')) hint.hidden = true
  if (location.origin !== origin) { button.hidden = true; elsewhere.hidden = false; continue }
  addEventListener('pageshow', () => { form.elements.answer.value = '' })
  form.addEventListener('submit', async (event) => {
    if (form.elements.answer.value) return
    event.preventDefault()
    event.stopPropagation()
    failed.hidden = true
    button.disabled = true
    try {
      const asked = await fetch(challenge, { method: 'POST', body: new URLSearchParams({ csrf: form.elements.csrf?.value ?? '' }) })
      if (!asked.ok) throw new Error(asked.status)
      const options = await asked.json()
      options.challenge = bytesOf(options.challenge)
      const [id, type, response, more] = await makes[passkey](options)
      const answer = { id, rawId: id, type, clientExtensionResults: {}, response: { clientDataJSON: textOf(response.clientDataJSON), ...more } }
      form.elements.answer.value = JSON.stringify(answer)
      button.disabled = false
      form.requestSubmit(button)
    } catch {
      failed.hidden = false
      button.disabled = false
      button.focus()
    }
  })
}
`

/** The text of the script, to the letter. */
export const passkeyScript = compact(source)
