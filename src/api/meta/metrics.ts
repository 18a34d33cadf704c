/** The server's own metrics, for Prometheus and OpenTelemetry. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type Step, type StepKind, steps } from '../../lib/steps.ts'

/** One number, read on demand. */
export type Measure = { name: string; help: string; labels: Record<string, string>; value: number }

/** Seconds; an answer that waits for a bank takes several. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/**
 * Creates the metrics of the process (memory, CPU, event loop), its counters, and the measures, all
 * with the prefix `bursar_`.
 */
export function makeMetrics(measure: () => Promise<Measure[]>) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bursar_' })
  const requests = new Histogram({
    name: 'bursar_request_duration_seconds',
    help: 'How long requests took that this process has answered; the status is its class',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [registry],
  })
  const stop = [
    countSteps(registry, 'rail', 'rail_calls_total', 'Calls to rails, since this process started', [
      'rail',
      'call',
    ]),
    countSteps(
      registry,
      'delivery',
      'webhook_attempts_total',
      'Deliveries to webhooks that were tried, since this process started',
    ),
  ]
  const gauges = new Map<string, Gauge>()
  const bring = async (): Promise<void> => {
    const measures = await measure()
    // Created again each time, because a reset gauge would report an unknown value as 0, such as no
    // backup or no difference.
    for (const name of gauges.keys()) registry.removeSingleMetric(`bursar_${name}`)
    gauges.clear()
    for (const { name, help, labels, value } of measures) {
      const gauge =
        gauges.get(name) ??
        new Gauge({
          name: `bursar_${name}`,
          help,
          labelNames: Object.keys(labels),
          registers: [registry],
        })
      gauges.set(name, gauge)
      gauge.set(labels, value)
    }
  }
  return {
    contentType: registry.contentType,
    observe: (method: string, route: string, status: number, seconds: number): void =>
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds),
    async read(): Promise<string> {
      await bring()
      return registry.metrics()
    },
    async collect() {
      await bring()
      return (await registry.getMetricsAsJSON()) as unknown as {
        name: string
        help: string
        type: string
        values: { value: number; labels: Record<string, string>; metricName?: string }[]
      }[]
    },
    close: () => {
      for (const one of stop) one()
    },
  }
}

/**
 * Counts a kind of trace step by its end. @param labels attributes without `bursar.`
 * @returns a function that ends the counting
 */
function countSteps(
  registry: Registry,
  kind: StepKind,
  name: string,
  help: string,
  labels: string[] = [],
): () => void {
  const counter = new Counter({
    name: `bursar_${name}`,
    help,
    labelNames: [...labels, 'outcome'],
    registers: [registry],
  })
  const listener = {
    asyncEnd({ attributes, error, failure }: Step): void {
      const own = Object.fromEntries(
        labels.map((label) => [label, String(attributes[`bursar.${label}`] ?? '')]),
      )
      counter.inc({
        ...own,
        outcome: error === undefined && failure === undefined ? 'answered' : 'failed',
      })
    },
    start() {},
    end() {},
    asyncStart() {},
    error() {},
  }
  steps[kind].subscribe(listener as never)
  return () => steps[kind].unsubscribe(listener as never)
}
