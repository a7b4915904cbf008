import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider, type MetricData } from '@opentelemetry/sdk-metrics'
import type { Meter } from '@homeward/contract/handler'

/** A store that does not answer must not hold the scraper for longer than that. */
const collectMs = 5000

/** Words that Prometheus has for units; counts have none. */
const words: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

/** Prometheus has the unit in the name, OpenTelemetry beside it. */
function withUnit(metric: MetricData): MetricData {
  const { name, unit } = metric.descriptor
  const word = words[unit]
  if (word === undefined || name.endsWith(word)) return metric
  return { ...metric, descriptor: { ...metric.descriptor, name: `${name}.${word}` } }
}

/** What one of the two servers measures. */
interface Measures {
  readonly meter: Meter
  /** Everything that was measured, as Prometheus text. */
  readonly read: () => Promise<string>
  close(): Promise<void>
}

/**
 * Measures in memory, by the metrics SDK of OpenTelemetry. Each server has its own, so that who may read the one learns
 * nothing of the other.
 *
 * @param name of the instruments' scope
 */
export function createMeasures(name: string): Measures {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  // without timestamps, scope and target: they are the same on every line
  const serializer = new PrometheusSerializer('', false, undefined, true, true)
  return {
    meter: provider.getMeter(name),
    async read() {
      const { resourceMetrics } = await exporter.collect({ timeoutMillis: collectMs })
      const { resource, scopeMetrics } = resourceMetrics
      const named = scopeMetrics.map(({ scope, metrics }) => ({ scope, metrics: metrics.map(withUnit) }))
      return serializer.serialize({ resource, scopeMetrics: named })
    },
    close: () => provider.shutdown(),
  }
}
