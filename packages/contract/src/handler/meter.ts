import type { CompletedCall } from './handler-options.ts'

/**
 * Attributes of a measurement. Contains no ids except that of an agent, because each combination of values is a time
 * series.
 */
export type MeterAttributes = Readonly<Record<string, string | number>>

/** Options of an instrument. */
export interface InstrumentOptions {
  /** Description for people. */
  readonly description?: string
  /** Unit in UCUM notation: `s`, `By`, `{search}`. */
  readonly unit?: string
  /** Suggested bucket bounds of a histogram, for the exporter. */
  readonly advice?: { explicitBucketBoundaries?: number[] }
}

/** Passed to the callback of an instrument, to record values. */
export interface Observed {
  /** Records the current value for these attributes. */
  observe(value: number, attributes?: MeterAttributes): void
}

/** An instrument whose value is read at each collection. */
export interface ObservableInstrument {
  /** Adds a callback for each collection. It may be asynchronous. */
  addCallback(callback: (result: Observed) => void | Promise<void>): void
}

/** Creates instruments, like the `Meter` of `@opentelemetry/api`. Defined here because that package is optional. */
export interface Meter {
  /** Creates a counter. */
  createCounter(
    name: string,
    options?: InstrumentOptions,
  ): { add(value: number, attributes?: MeterAttributes): void }
  /** Creates a histogram. */
  createHistogram(
    name: string,
    options?: InstrumentOptions,
  ): { record(value: number, attributes?: MeterAttributes): void }
  /** Creates a gauge whose value is read at each collection. */
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableInstrument
  /** Creates a counter whose value is read at each collection. */
  createObservableCounter(name: string, options?: InstrumentOptions): ObservableInstrument
}

/**
 * Upper bounds of histogram buckets for durations in seconds: those of the HTTP conventions, plus longer ones for
 * long polls and model calls.
 */
export const secondsBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
]

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Creates metrics of requests.
 *
 * `http.server.request.duration` follows the HTTP conventions and has the operation's id. `homeward.auth.failed`
 * counts 401 and `homeward.rate_limited` counts 429 responses. A stream is measured until its first byte.
 *
 * @example
 * const handler = createHandler({ operations, handlers, authenticate, observe: createRequestMeter(meter) })
 */
export function createRequestMeter(meter: Meter): (answered: CompletedCall) => void {
  const duration = meter.createHistogram('http.server.request.duration', {
    description: 'Time from a request to the start of its response.',
    unit: 's',
    advice: { explicitBucketBoundaries: secondsBuckets },
  })
  const authFailed = meter.createCounter('homeward.auth.failed', {
    description: 'Requests without valid authentication.',
    unit: '{request}',
  })
  const rateLimited = meter.createCounter('homeward.rate_limited', {
    description: 'Requests that were rejected by a rate limit.',
    unit: '{request}',
  })
  return ({ operationId = 'none', route, method, status, seconds }) => {
    duration.record(seconds, {
      'http.request.method': knownMethods.has(method) ? method : '_OTHER',
      'http.response.status_code': status,
      ...(route !== undefined && { 'http.route': route }),
      'homeward.operation': operationId,
    })
    if (status === 401) authFailed.add(1, { 'homeward.operation': operationId })
    if (status === 429) rateLimited.add(1, { 'homeward.operation': operationId })
  }
}
