import { type Meter, secondsBuckets } from '@homeward/contract/handler'
import { microUsdOf, type Prices } from '../budgets/prices.ts'
import type { ModelCallEnd, RuntimeEvent } from '../journal/runtime-events.ts'
import { text } from './span-attributes.ts'

/** Takes what happens in a runtime. */
interface RunCounters {
  runStarted(event: RuntimeEvent): void
  runEnded(event: RuntimeEvent): void
  modelCompleted(event: RuntimeEvent): void
  modelCall(call: ModelCallEnd): void
}

/** Counts runs, their tokens and cost, event by event, and measures their model calls. */
export function createRunCounters(meter: Meter, prices: Prices): RunCounters {
  const started = meter.createCounter('homeward.runs.started', {
    description: 'Runs that began, by agent.',
    unit: '{run}',
  })
  const ended = meter.createCounter('homeward.runs.ended', {
    description: 'Runs that ended, by agent, status and why they stopped.',
    unit: '{run}',
  })
  const tokens = meter.createCounter('homeward.tokens', {
    description: 'Tokens of model calls, by agent, model and type; cached input is part of input.',
    unit: '{token}',
  })
  const cost = meter.createCounter('homeward.cost.usd', {
    description: 'What model calls cost where there is a price, by agent and model, in US dollars.',
    unit: '{USD}',
  })
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    description: 'Time of a model call, by agent and model; with error.type, of one that failed.',
    unit: 's',
    advice: { explicitBucketBoundaries: secondsBuckets },
  })

  function addModelCall({ data }: RuntimeEvent): void {
    const model = text(data['model']) ?? 'unknown'
    const of = { ...agentOf(data), 'gen_ai.request.model': model }
    const counts = toCounts(data)
    for (const [type, count] of Object.entries(counts))
      if (count > 0) tokens.add(count, { ...of, 'gen_ai.token.type': type })
    const price = Object.hasOwn(prices, model) ? prices[model] : undefined
    const spent = data['cost_usd'] ?? (price && microUsdOf(price, counts) / 1_000_000)
    if (typeof spent === 'number') cost.add(spent, of)
  }

  return {
    runStarted: ({ data }) => started.add(1, agentOf(data)),
    runEnded({ data }) {
      ended.add(1, {
        ...agentOf(data),
        status: text(data['status']) ?? 'waiting',
        stop_reason: text(data['stop_reason']) ?? 'none',
      })
    },
    modelCompleted: addModelCall,
    modelCall({ agentId, model, durationMs, errorType }) {
      duration.record(durationMs / 1000, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': model.slice(0, Math.max(0, model.indexOf('/'))) || 'unknown',
        'gen_ai.request.model': model,
        'gen_ai.agent.id': agentId,
        ...(errorType !== undefined && { 'error.type': errorType }),
      })
    },
  }
}

const agentOf = (data: RuntimeEvent['data']) => ({ 'gen_ai.agent.id': text(data['agent_id']) ?? 'unknown' })

function toCounts(data: RuntimeEvent['data']) {
  const count = (name: string) => {
    const value = data[name]
    return typeof value === 'number' ? value : 0
  }
  return {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cacheRead: count('cached_input_tokens'),
    cacheWrite: count('cache_write_input_tokens'),
  }
}
