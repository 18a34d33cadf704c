/**
 * Steps of the work, for who follows it: each is announced on a channel of Node's own
 * (`node:diagnostics_channel`), which costs nothing while nobody listens. What a step says of
 * itself is for eyes outside: ids, names and numbers, never a secret, a body or a query.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

export type StepKind = 'request' | 'batch' | 'rail' | 'delivery' | 'job'

export type Step = {
  kind: StepKind
  name: string
  attributes: Record<string, string | number | boolean>
  /** The `traceparent` that came with a request. https://www.w3.org/TR/trace-context/ */
  parent?: string | undefined
  /** A word for what went wrong, where nothing was thrown. */
  failure?: string
  /** What was thrown; the channel puts it here. */
  error?: unknown
}

const kinds: readonly StepKind[] = ['request', 'batch', 'rail', 'delivery', 'job']
const channelOf = (kind: StepKind): TracingChannel<Step, Step> => tracingChannel(`bursar:${kind}`)

/** Where a kind of steps is announced. */
export const steps = Object.fromEntries(kinds.map((kind) => [kind, channelOf(kind)])) as Record<
  StepKind,
  TracingChannel<Step, Step>
>

/** The trace that the work at hand belongs to, where traces are kept. */
export const traced = new AsyncLocalStorage<{ trace_id: string; span_id: string }>()

/**
 * Does work as a step.
 * @param about what it is, asked only when somebody listens
 * @param work is given the step, to say more of it; null when nobody listens
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
