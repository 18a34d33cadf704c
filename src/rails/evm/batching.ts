/** HTTP of batches of JSON-RPC calls. */

/**
 * `fetch`, for batches: gives every request of a batch an answer with its own id. viem takes the answers in their order, so that
 * one that a provider leaves out would give the next one's; and one error for all of a batch would be lost.
 */
export const fetchWhole: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const requests: unknown = JSON.parse(String(init?.body))
  const text = await response.text()
  const plain = () => new Response(text || null, { status: response.status, headers: response.headers })
  if (!Array.isArray(requests)) return plain()
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return plain()
  }
  const failure = (message: string) => ({ code: -32_603, message })
  const ofAll = Array.isArray(answer) ? null : (answer as { error?: { code?: number } } | null)?.error
  if (!Array.isArray(answer) && typeof ofAll?.code !== 'number') return plain()
  const given = new Map(Array.isArray(answer) ? answer.map((one: { id: number }) => [one?.id, one]) : [])
  if (given.size === requests.length && requests.every(({ id }) => given.has(id))) return plain()
  const whole = requests.map(
    ({ id }: { id: number }) =>
      given.get(id) ?? { jsonrpc: '2.0', id, error: ofAll ?? failure('the batch was answered in part') },
  )
  return new Response(JSON.stringify(whole), { headers: { 'content-type': 'application/json' } })
}
