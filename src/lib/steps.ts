/**
 * Trace steps, published on `node:diagnostics_channel`, which costs nothing without listeners. They
 * leave the process, so they contain ids, names and numbers only: never a secret, a body or a
 * query.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

export type StepKind = 'request' | 'batch' | 'rail' | 'delivery' | 'job'

export type Step = {
  kind: StepKind
  name: string
  attributes: Record<string, string | number | boolean>
  /** The `traceparent` of the request. https://www.w3.org/TR/trace-context/ */
  parent?: string | undefined
  /** A failure without an exception, in a word. */
  failure?: string
  /** The exception; set by the channel. */
  error?: unknown
}

const kinds: readonly StepKind[] = ['request', 'batch', 'rail', 'delivery', 'job']
const channelOf = (kind: StepKind): TracingChannel<Step, Step> => tracingChannel(`bursar:${kind}`)

/** The channel of each kind of step. */
export const steps = Object.fromEntries(kinds.map((kind) => [kind, channelOf(kind)])) as Record<
  StepKind,
  TracingChannel<Step, Step>
>

/** The trace of the current work, if traces are recorded. */
export const traced = new AsyncLocalStorage<{ trace_id: string; span_id: string }>()

/**
 * Runs work as a step.
 * @param about returns the step's attributes; called only if there are listeners
 * @param work gets the step, to add attributes; null without listeners
 */
export function follow<T>(
  kind: StepKind,
  about: () => Pick<Step, 'name' | 'attributes'>,
  work: (step: Step | null) => Promise<T>,
): Promise<T> {
  const channel = steps[kind]
  if (!channel.hasSubscribers) return work(null)
  const step: Step = { kind, ...about() }
  return channel.tracePromise(() => work(step), step)
}
