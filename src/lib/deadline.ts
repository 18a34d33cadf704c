/** The timeout has passed. */
export class DeadlineError extends Error {}

/**
 * Waits for a promise with a timeout, so that an external call cannot block a worker.
 * @throws {DeadlineError} after the timeout; a later answer is ignored
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
