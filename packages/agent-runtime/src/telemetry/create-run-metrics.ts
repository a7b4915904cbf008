import type { Meter } from '@homeward/contract/handler'
import type { Prices } from '../budgets/prices.ts'
import type { AgentRuntime } from '../runtime/runtime.ts'
import { createBacklogGauges } from './backlog-gauges.ts'
import { createRunCounters } from './run-counters.ts'

/** How {@link createRunMetrics} works. */
export interface RunMetricsOptions {
  /** Whose runs are measured. */
  readonly runtime: Pick<AgentRuntime, 'events' | 'usage'>
  /** Makes the instruments: `metrics.getMeter()` of `@opentelemetry/api`. */
  readonly meter: Meter
  /** Those of the runtime: with them, cost is measured. @default none */
  readonly prices?: Prices
  /** How long counts of what waits are used again, in milliseconds: however often is asked, the store is not. @default 5000 */
  readonly cacheMs?: number
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number
}

/** Measurements under way. */
export interface RunMetrics {
  /** Ends them. What was counted stays with the meter. */
  close(): void
}

/**
 * Measures the runs of this process: how many end how, their tokens, cost and model calls by agent, as they happen; and
 * what waits in the store, when somebody collects. In the names of the GenAI conventions of OpenTelemetry where they have
 * one, in seconds. The id of an agent is the only id among the attributes.
 *
 * Each process of a store counts its own runs. What waits is the same in all of them: take the maximum, not the sum.
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
