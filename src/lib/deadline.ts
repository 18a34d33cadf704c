/** The time for an answer is over. */
export class DeadlineError extends Error {}

/**
 * Waits for an answer, but not for ever: what is asked outside may never answer, and must not hold
 * a worker.
 * @throws {DeadlineError} when the answer does not come in time; it may still come, and is then
 * ignored
 */
export async function withDeadline<T>(ms: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`no answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
