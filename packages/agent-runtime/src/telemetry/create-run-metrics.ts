import type { Meter } from '@homeward/contract/handler'
import type { Prices } from '../budgets/prices.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { createRunCounters } from './run-counters.ts'
import type { Backlog, WaitingCount } from '../store/ports/usage-store.ts'

/** Options of {@link createRunMetrics}. */
export interface RunMetricsOptions {
  /** Runtime whose runs are measured. */
  readonly runtime: Pick<AgentRuntime, 'events' | 'usage'>
  /** Creates the instruments: `metrics.getMeter()` of `@opentelemetry/api`. */
  readonly meter: Meter
  /** Prices of the runtime, to measure cost. @default cost is not measured */
  readonly prices?: Prices
  /**
   * Time for which counts of waiting work are cached, in milliseconds, so that frequent collections do not load the
   * store.
   *
   * @default 5000
   */
  readonly cacheMs?: number
  /** Returns the time in milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/** Active metrics. */
export interface RunMetrics {
  /** Stops the metrics. Counted values stay with the meter. */
  close(): void
}

/**
 * Creates metrics of the runs of this process, and of waiting work in the store.
 *
 * Counted as they happen: ended runs by outcome, and tokens, cost and model calls by agent. Waiting work is read at
 * each collection. Names follow the GenAI conventions of OpenTelemetry if available; durations are in seconds. The
 * only id among the attributes is that of the agent.
 *
 * Each process of a store counts its own runs. Waiting work is the same in all of them: take the maximum, not the
 * sum.
 *
 * @example
 * const metrics = createRunMetrics({ runtime, meter: provider.getMeter('agents') })
 */
export function createRunMetrics(options: RunMetricsOptions): RunMetrics {
  const { runtime, meter, prices = {}, cacheMs = 5000, now = Date.now } = options
  const count = createRunCounters(meter, prices)
  const gauges = createBacklogGauges({ meter, read: () => runtime.usage.backlog(), cacheMs, now })
  // by name, so that what is not counted costs nothing
  const { events } = runtime
  events.on('agent.started', count.runStarted)
  events.on('agent.completed', count.runEnded)
  events.on('model.completed', count.modelCompleted)
  events.on('model-call:end', count.modelCall)
  return {
    close() {
      events.off('agent.started', count.runStarted)
      events.off('agent.completed', count.runEnded)
      events.off('model.completed', count.modelCompleted)
      events.off('model-call:end', count.modelCall)
      gauges.close()
    },
  }
}

/** What {@link createBacklogGauges} works with. */
interface BacklogGaugesOptions {
  readonly meter: Meter
  readonly read: () => Promise<Backlog>
  readonly cacheMs: number
  readonly now: () => number
}

const subjects = {
  queue: { key: 'tasks', what: 'Queued tasks that are due' },
  outbox: { key: 'messages', what: 'Messages of chats whose answer is not delivered yet' },
  approvals: { key: 'approvals', what: 'Tool calls that wait for a person' },
} as const satisfies Record<string, { key: keyof Backlog; what: string }>

/** Gauges of what waits. The store is asked once for all of them, and not again while the answer is fresh. */
function createBacklogGauges({ meter, read, cacheMs, now }: BacklogGaugesOptions): { close(): void } {
  let found: { readonly atMs: number; readonly backlog: Promise<Backlog> } | undefined
  let isClosed = false

  function backlog(): Promise<Backlog> {
    const atMs = now()
    if (!found || Math.abs(atMs - found.atMs) >= cacheMs) found = { atMs, backlog: read() }
    return found.backlog
  }

  for (const [name, { key, what }] of Object.entries(subjects)) {
    const observe = (toValue: (waiting: WaitingCount) => number) =>
      async function (result: { observe(value: number): void }): Promise<void> {
        if (isClosed) return
        // Not a number if the store fails: the value of before would say that all is well.
        const all = await backlog().catch(() => undefined)
        result.observe(all ? toValue(all[key]) : Number.NaN)
      }
    meter
      .createObservableGauge(`homeward.${name}.waiting`, {
        description: `${what}; at most 10,000 are counted.`,
        unit: '{item}',
      })
      .addCallback(observe(({ count }) => count))
    meter
      .createObservableGauge(`homeward.${name}.age`, {
        description: `${what}: how long the oldest of them has waited.`,
        unit: 's',
      })
      .addCallback(
        observe(({ oldestAt }) =>
          oldestAt === undefined ? 0 : Math.max(0, now() - Date.parse(oldestAt)) / 1000,
        ),
      )
  }
  return { close: () => void (isClosed = true) }
}
