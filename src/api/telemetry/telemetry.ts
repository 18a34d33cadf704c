/**
 * Sends traces and metrics to an OpenTelemetry collector by OTLP over HTTP. Loaded only if one is
 * configured: the rest of the server only knows steps (`lib/steps.ts`) and the Prometheus registry.
 */
import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { App } from '../../core/app.ts'
import { newId } from '../../lib/ids.ts'
import { type Step, type StepKind, steps, traced } from '../../lib/steps.ts'
import { version } from '../../lib/version.ts'
import { type Collects, producerOf } from './produce.ts'

export type { Collects }

export type Telemetry = {
  /** Sends the remaining data, within the time of a stop, and nothing afterwards. */
  stop(): Promise<void>
}

const timeoutMs = 5_000
/** A server stops within five seconds. */
const flushMs = 2_000
const metricsEveryMs = 60_000

const kinds: Record<StepKind, SpanKind> = {
  request: SpanKind.SERVER,
  batch: SpanKind.INTERNAL,
  rail: SpanKind.CLIENT,
  delivery: SpanKind.CLIENT,
  job: SpanKind.CONSUMER,
}

type Traced = { trace_id: string; span_id: string; span: Span }

/** @param metrics the metrics to send; null if another part of the process sends them */
export function startTelemetry(
  { config, role, log, clock }: Pick<App, 'config' | 'role' | 'log' | 'clock'>,
  endpoint: string,
  metrics: Collects | null,
): Telemetry {
  diag.setLogger(
    {
      error: (message) => log.warn({}, `telemetry: ${message}`),
      warn() {},
      info() {},
      debug() {},
      verbose() {},
    },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  )
  const headers = config.OTEL_EXPORTER_OTLP_HEADERS
  const to = (path: string) => ({
    url: `${endpoint}/v1/${path}`,
    headers,
    timeoutMillis: timeoutMs,
  })
  const resource = resourceFromAttributes({
    'service.name': 'bursar',
    'service.version': version,
    'service.instance.id': newId(clock.now()),
    'bursar.role': role,
  })
  const spans = new BasicTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(to('traces')))],
  })
  const measures =
    metrics &&
    new MeterProvider({
      resource,
      readers: [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter(to('metrics')),
          exportIntervalMillis: metricsEveryMs,
          exportTimeoutMillis: timeoutMs,
          metricProducers: [producerOf(metrics, resource)],
        }),
      ],
    })
  const unfollow = followSteps(spans)
  return {
    async stop() {
      unfollow()
      const all = Promise.allSettled([spans.shutdown(), measures?.shutdown()])
      let timer: NodeJS.Timeout | undefined
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, flushMs)
      })
      await Promise.race([all, late])
      clearTimeout(timer)
    },
  }
}

/** Creates a span for each step. @returns a function that ends that */
function followSteps(provider: BasicTracerProvider): () => void {
  const tracer = provider.getTracer('bursar', version)
  const open = new WeakMap<Step, Span>()
  const begin = (step: Step): Traced => {
    const above =
      (traced.getStore() as Traced | undefined)?.span.spanContext() ?? remoteParent(step.parent)
    const within = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT
    const span = tracer.startSpan(
      step.name,
      { kind: kinds[step.kind], attributes: step.attributes },
      within,
    )
    open.set(step, span)
    const { traceId, spanId } = span.spanContext()
    return { trace_id: traceId, span_id: spanId, span }
  }
  const end = (step: Step): void => {
    const span = open.get(step)
    if (!span) return
    span.setAttributes(step.attributes)
    // Only the error's name, because its message may contain anything.
    const failure =
      step.error === undefined ? step.failure : ((step.error as Error)?.name ?? 'Error')
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
    span.end()
  }
  const listener = { asyncEnd: end, start() {}, end() {}, asyncStart() {}, error() {} }
  for (const channel of Object.values(steps)) {
    channel.start.bindStore(traced as never, begin as never)
    channel.subscribe(listener as never)
  }
  return () => {
    for (const channel of Object.values(steps)) {
      channel.start.unbindStore(traced as never)
      channel.unsubscribe(listener as never)
    }
  }
}

/**
 * Parses a `traceparent`; undefined if invalid.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
function remoteParent(text = ''): SpanContext | undefined {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/.exec(text) ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags as string, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  }
}
