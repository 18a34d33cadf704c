/** Something the operator can mend: shown as one line. */
export class UserError extends Error {}

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Text of others without what a terminal would obey. */
export const printable = (text: string): string => text.replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}]/gu, '\u{fffd}')

/**
 * Says on a terminal how far something has come: done, left, rate. Elsewhere, and beside JSON, it says nothing.
 * @param verb what is done to the bytes, such as `copied`
 */
export function progress(verb: string, json = false): (done: number, total: number) => void {
  if (json || !process.stderr.isTTY) return () => {}
  const startedAt = performance.now()
  let saidAt = 0
  const mega = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)
  return (done, total) => {
    const now = performance.now()
    const ended = done >= total
    if (!ended && now - saidAt < 200) return
    saidAt = now
    const rate = done / ((now - startedAt) / 1000)
    const left = Math.ceil((total - done) / rate)
    process.stderr.write(`\r\u001b[K${verb} ${mega(done)} of ${mega(total)} MiB, ${mega(rate)} MiB/s, ${left} s left`)
    if (ended) process.stderr.write('\r\u001b[K')
  }
}
