/** Converts Prometheus metrics to OpenTelemetry, so that both have the same numbers. */
import { type HrTime, ValueType } from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics'
import { version } from '../../lib/version.ts'

/** A metric from the Prometheus registry. */
export type Collected = {
  name: string
  help: string
  type: string
  values: { value: number; labels: Record<string, string>; metricName?: string | undefined }[]
}
export type Collects = { collect(): Promise<Collected[]> }

/** @param resource the process of the metrics */
export function producerOf(metrics: Collects, resource: Resource): MetricProducer {
  const startTime = instant()
  return {
    async collect() {
      const endTime = instant()
      const collected = await metrics.collect()
      const data = collected.flatMap((one) => dataOf(one, { startTime, endTime }))
      return {
        resourceMetrics: {
          resource,
          scopeMetrics: [{ scope: { name: 'bursar', version }, metrics: data }],
        },
        errors: [],
      }
    },
  }
}

function instant(): HrTime {
  const ms = performance.timeOrigin + performance.now()
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)]
}

type Times = { startTime: HrTime; endTime: HrTime }

function dataOf({ name, help, type, values }: Collected, times: Times): MetricData[] {
  const descriptor = { name, description: help, unit: '', valueType: ValueType.DOUBLE }
  const temporality = { aggregationTemporality: AggregationTemporality.CUMULATIVE }
  const points = values.map(({ labels, value }) => ({ ...times, attributes: labels, value }))
  if (points.length === 0) return []
  if (type === 'counter')
    return [
      {
        descriptor,
        ...temporality,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: points,
      },
    ]
  if (type === 'gauge')
    return [{ descriptor, ...temporality, dataPointType: DataPointType.GAUGE, dataPoints: points }]
  if (type !== 'histogram') return []
  return [
    {
      descriptor,
      ...temporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: histogramsOf(values, times),
    },
  ]
}

/** Prometheus counts values up to each bound, OpenTelemetry those between two bounds. */
function histogramsOf(values: Collected['values'], times: Times) {
  const series = new Map<string, Collected['values']>()
  for (const value of values) {
    const { le: _, ...labels } = value.labels
    const key = JSON.stringify(labels)
    series.set(key, [...(series.get(key) ?? []), value])
  }
  return [...series].map(([key, all]) => {
    const of = (ending: string) => all.filter(({ metricName }) => metricName?.endsWith(ending))
    const buckets = of('_bucket').map(({ labels, value }) => ({ bound: Number(labels.le), value }))
    const bounded = buckets
      .filter(({ bound }) => Number.isFinite(bound))
      .sort((a, b) => a.bound - b.bound)
    const count = of('_count')[0]?.value ?? 0
    const upTo = [...bounded.map(({ value }) => value), count]
    return {
      ...times,
      attributes: JSON.parse(key) as Record<string, string>,
      value: {
        buckets: {
          boundaries: bounded.map(({ bound }) => bound),
          counts: upTo.map((value, i) => value - (upTo[i - 1] ?? 0)),
        },
        sum: of('_sum')[0]?.value ?? 0,
        count,
      },
    }
  })
}
