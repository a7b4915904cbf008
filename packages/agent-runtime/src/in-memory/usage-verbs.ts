import type { Json } from '@homeward/contract/agent-platform'
import type { UsageQuery, UsageTotal } from '../store/ports/usage-store.ts'
import { sortUsage, startLength, toStart } from '../store/sql/usage/usage-row.ts'
import { readAfter } from './journal-records.ts'
import type { Tables } from './tables.ts'

/** {@link UsageStore.sumUsage}, in memory. */
export function sumUsage(tables: Tables, query: UsageQuery): UsageTotal[] {
  const totals = new Map<string, UsageTotal>()
  for (const [, { type, timestamp, data }] of readAfter(tables.journal, 0)) {
    if (type !== 'model.completed' || timestamp < query.from || timestamp >= query.to) continue
    const agentId = text(data['agent_id'])
    const model = text(data['model'])
    if (query.agentId !== undefined && query.agentId !== agentId) continue
    if (query.model !== undefined && query.model !== model) continue
    const start = toStart(timestamp.slice(0, startLength[query.interval]), query.interval)
    const key = JSON.stringify([start, agentId, model])
    const known = totals.get(key)
    totals.set(key, {
      start,
      agentId,
      model,
      calls: (known?.calls ?? 0) + 1,
      inputTokens: (known?.inputTokens ?? 0) + count(data['input_tokens']),
      outputTokens: (known?.outputTokens ?? 0) + count(data['output_tokens']),
      cachedInputTokens: (known?.cachedInputTokens ?? 0) + count(data['cached_input_tokens']),
    })
  }
  return sortUsage([...totals.values()]).slice(0, query.limit)
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const count = (value: Json | undefined) => (typeof value === 'number' ? value : 0)
