import type { CompletedCall } from './handler-options.ts'

/** Attributes of a measurement. No ids, but that of an agent: each combination of values is a time series. */
export type MeterAttributes = Readonly<Record<string, string | number>>

/** What an instrument is. */
export interface InstrumentOptions {
  /** A sentence for people. */
  readonly description?: string
  /** As UCUM writes it: `s`, `By`, `{search}`. */
  readonly unit?: string
  /** Advice for the exporter: upper bounds of a histogram's buckets. */
  readonly advice?: { explicitBucketBoundaries?: number[] }
}

/** Takes what is observed now. */
export interface Observed {
  /** Notes the value of now, for these attributes. */
  observe(value: number, attributes?: MeterAttributes): void
}

/** An instrument that is asked when somebody collects. */
export interface ObservableInstrument {
  /** Adds a function that is called for each collection, and may wait. */
  addCallback(callback: (result: Observed) => void | Promise<void>): void
}

/**
 * Makes instruments. The `Meter` of `@opentelemetry/api` is one; described here, so that the types need no package that may
 * not be installed.
 */
export interface Meter {
  /** Counts up. */
  createCounter(
    name: string,
    options?: InstrumentOptions,
  ): { add(value: number, attributes?: MeterAttributes): void }
  /** Sorts values into buckets. */
  createHistogram(
    name: string,
    options?: InstrumentOptions,
  ): { record(value: number, attributes?: MeterAttributes): void }
  /** Is asked for a value that goes up and down. */
  createObservableGauge(name: string, options?: InstrumentOptions): ObservableInstrument
  /** Is asked for a value that only goes up. */
  createObservableCounter(name: string, options?: InstrumentOptions): ObservableInstrument
}

/** Upper bounds of buckets for durations, in seconds: those of the HTTP conventions, and up to held polls and model calls. */
export const secondsBuckets = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
]

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * Measures answered requests: `http.server.request.duration` by the HTTP conventions, with the id of the operation,
 * `homeward.auth.failed` for 401 and `homeward.rate_limited` for 429. A stream counts until its first byte.
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
