/**
 * What the server measures of itself, for Prometheus.
 */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** One number, read when it is asked for. */
export type Measure = { name: string; help: string; labels: Record<string, string>; value: number }

/** Metrics of the process (memory, CPU, event loop) and the measures, each under `bursar_`. */
export function makeMetrics(measure: () => Promise<Measure[]>) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'bursar_' })
  const gauges = new Map<string, Gauge>()
  return {
    contentType: registry.contentType,
    async read(): Promise<string> {
      const measures = await measure()
      for (const gauge of gauges.values()) gauge.reset()
      for (const { name, help, labels, value } of measures) {
        const gauge =
          gauges.get(name) ??
          new Gauge({ name: `bursar_${name}`, help, labelNames: Object.keys(labels), registers: [registry] })
        gauges.set(name, gauge)
        gauge.set(labels, value)
      }
      return registry.metrics()
    },
  }
}
