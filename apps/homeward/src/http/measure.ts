import type { InstrumentOptions, Meter, MeterAttributes, Observed } from '@homeward/contract/handler'
import { sleep } from '@homeward/kit'

/** A store that does not answer must not hold the scraper for longer than that. */
const collectMs = 5000
/** Time series of one instrument. Further ones are added up in one that is marked `otel_metric_overflow`. */
const maxSeries = 2000
const defaultBounds = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000]

/** What one of the two servers measures. */
interface Measures {
  readonly meter: Meter
  /** Everything that was measured, as Prometheus text. */
  readonly read: () => Promise<string>
}

/** Gives the lines of an instrument; none while nothing was measured. Waits until `late` at most. */
type Instrument = (late: Promise<void>) => readonly string[] | Promise<readonly string[]>

/**
 * Measures in memory. Each server has its own, so that who may read the one learns nothing of the other.
 *
 * The metrics SDK of OpenTelemetry would do as well, but it sorts and hashes the attributes of each measurement, which takes
 * a third of the time of a device's poll.
 */
export function createMeasures(): Measures {
  const instruments: Instrument[] = []

  function createObservable(name: string, options: InstrumentOptions = {}, type: 'gauge' | 'counter') {
    const callbacks: ((result: Observed) => void | Promise<void>)[] = []
    const names = nameOf(name, options, type)
    instruments.push(async (late) => {
      const observed = createSeries(() => ({ sum: 0 }))
      const observe: Observed['observe'] = (value, attributes) => void (observed.of(attributes).sum = value)
      await Promise.race([Promise.allSettled(callbacks.map(async (call) => call({ observe }))), late])
      return describe(names, options, type, observed.map(toLine(names)))
    })
    return { addCallback: (callback: (typeof callbacks)[number]) => void callbacks.push(callback) }
  }

  const meter: Meter = {
    createCounter(name, options = {}) {
      const counted = createSeries(() => ({ sum: 0 }))
      const names = nameOf(name, options, 'counter')
      instruments.push(() => describe(names, options, 'counter', counted.map(toLine(names))))
      return { add: (value, attributes) => void (counted.of(attributes).sum += value) }
    },
    createHistogram(name, options = {}) {
      const bounds = options.advice?.explicitBucketBoundaries ?? defaultBounds
      const taken = createSeries(() => ({
        sum: 0,
        counts: Array.from({ length: bounds.length + 1 }, () => 0),
      }))
      const names = nameOf(name, options, 'histogram')
      instruments.push(() =>
        describe(names, options, 'histogram', taken.map(toBuckets(names, bounds)).flat()),
      )
      return {
        record(value, attributes) {
          const histogram = taken.of(attributes)
          histogram.sum += value
          const bucket = bounds.findIndex((bound) => value <= bound)
          histogram.counts[bucket < 0 ? bounds.length : bucket]! += 1
        },
      }
    },
    createObservableGauge: (name, options) => createObservable(name, options, 'gauge'),
    createObservableCounter: (name, options) => createObservable(name, options, 'counter'),
  }

  async function read(): Promise<string> {
    const waiting = new AbortController()
    const late = sleep(collectMs, waiting.signal)
    const lines = await Promise.all(instruments.map(async (instrument) => instrument(late)))
    waiting.abort()
    return `${lines.flat().join('\n')}\n`
  }
  return { meter, read }
}

/** Values by their attributes. */
function createSeries<Value>(create: () => Value) {
  const series = new Map<string, { readonly labels: string; readonly value: Value }>()

  function add(key: string, attributes: MeterAttributes): Value {
    const entry = { labels: toLabels(attributes), value: create() }
    series.set(key, entry)
    return entry.value
  }

  function of(attributes: MeterAttributes = {}): Value {
    let key = ''
    for (const name in attributes) key += `${name}\n${attributes[name]}\n`
    const known = series.get(key)
    if (known) return known.value
    return series.size < maxSeries ? add(key, attributes) : overflow()
  }
  const overflow = () =>
    series.get(overflowKey)?.value ?? add(overflowKey, { 'otel.metric.overflow': 'true' })

  return {
    of,
    map: <Result>(run: (labels: string, value: Value) => Result): Result[] =>
      [...series.values()].map(({ labels, value }) => run(labels, value)),
  }
}

const overflowKey = 'overflow'

const toLine =
  (name: string) =>
  (labels: string, { sum }: { readonly sum: number }) =>
    `${name}${braced(labels)} ${sum}`

/** The lines of a histogram: Prometheus counts in a bucket also what is in the smaller ones. */
const toBuckets =
  (name: string, bounds: readonly number[]) =>
  (labels: string, { sum, counts }: { readonly sum: number; readonly counts: readonly number[] }) => {
    let count = 0
    const buckets = counts.map((inBucket, at) => {
      count += inBucket
      const bound = `le="${bounds[at] ?? '+Inf'}"`
      return `${name}_bucket${braced(labels === '' ? bound : `${labels},${bound}`)} ${count}`
    })
    return [`${name}_count${braced(labels)} ${count}`, `${name}_sum${braced(labels)} ${sum}`, ...buckets]
  }

function describe(
  name: string,
  { description = 'description missing', unit }: InstrumentOptions,
  type: string,
  lines: readonly string[],
): readonly string[] {
  if (lines.length === 0) return []
  const help = description.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
  const ofUnit = unit === undefined ? [] : [`# UNIT ${name} ${unit}`]
  return [`# HELP ${name} ${help}`, ...ofUnit, `# TYPE ${name} ${type}`, ...lines]
}

/** Words that Prometheus has for units; counts have none. */
const words: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }

/** Prometheus has the unit in the name, OpenTelemetry beside it. */
function nameOf(
  name: string,
  { unit = '' }: InstrumentOptions,
  type: 'counter' | 'gauge' | 'histogram',
): string {
  const word = words[unit]
  const whole = word === undefined || name.endsWith(word) ? name : `${name}.${word}`
  return toWord(type === 'counter' ? `${whole}.total` : whole)
}

const toWord = (name: string) => name.replaceAll(/\W/g, '_')

const toLabels = (attributes: MeterAttributes) =>
  Object.entries(attributes)
    .map(([name, value]) => `${toWord(name)}="${escapeLabel(String(value))}"`)
    .join(',')

const escapeLabel = (value: string) =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const braced = (labels: string) => (labels === '' ? '' : `{${labels}}`)
