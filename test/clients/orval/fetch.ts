const { BURSAR_URL, BURSAR_KEY } = process.env
const authorization = `Bearer ${BURSAR_KEY}`

/** Sends a request with the key to the server: orval knows neither. */
export async function send<T>(path: string, options: RequestInit): Promise<T> {
  const headers = { ...(options.headers as Record<string, string>), authorization }
  const response = await fetch(`${BURSAR_URL}${path}`, { ...options, headers })
  return { status: response.status, data: await response.json(), headers: response.headers } as T
}

/**
 * The text of the first event of a type: orval reads every answer as a whole, so not the stream.
 */
export async function firstEvent(type: string): Promise<string> {
  const response = await fetch(`${BURSAR_URL}/events/stream?after=0`, {
    headers: { authorization },
  })
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of response.body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(part, { stream: true })
    const lines = text.split('\n').slice(0, -1)
    const found = lines.find((line) => line.startsWith('data: ') && line.includes(`"${type}"`))
    if (found) return found.slice('data: '.length)
  }
  throw new Error(`${type} did not come`)
}
