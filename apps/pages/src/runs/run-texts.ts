import type { Run, RunSource } from '@homeward/contract/agent-platform'
import { formatUsd } from '../usage/format-usage.ts'

/** How a run was started, in a word. */
export const sourceNames: Readonly<Record<RunSource, string>> = {
  chat: 'Chat',
  test: 'Test',
  page: 'By hand',
  schedule: 'Schedule',
  task: 'Task',
  channel: 'Channel',
  trigger: 'Trigger',
  graph: 'Graph',
  agent: 'Another agent',
  rerun: 'Rerun',
  undo: 'Undo',
  background: 'Agent in the background',
  api: 'API',
  openai: 'OpenAI API',
  mcp: 'MCP client',
}

/** How a run was started: of a message, on which platform. */
export function sourceOf({ source, user_id = '' }: Run): string {
  const platform = source === 'channel' ? /^([a-z]+):/.exec(user_id)?.[1] : undefined
  return platform === undefined ? sourceNames[source] : platform.charAt(0).toUpperCase() + platform.slice(1)
}

/** Whether a run is over: one that works or waits can be neither played nor undone. */
export const hasEnded = ({ status }: Run): boolean => status !== 'running' && status !== 'waiting'

/** Tokens of all model calls; undefined while it is not known. */
export function tokensOf({ result }: Run): number | undefined {
  if (result === undefined || !('usage' in result)) return undefined
  return result.usage.input_tokens + result.usage.output_tokens
}

/** How many calls of tools failed, in a run that may have completed. */
export function failedTools({ result }: Run): number {
  if (result === undefined || !('turns' in result)) return 0
  return result.steps.filter((step) => 'error' in step && step.error !== undefined).length
}

/** What a run has cost, as people read it. */
export function costText({ cost }: Pick<Run, 'cost'>): string | undefined {
  if (cost === undefined) return undefined
  return cost.currency === 'USD' ? formatUsd(cost.amount) : `${cost.amount} ${cost.currency}`
}

/** Why there is no cost: the model has no price. A run without a token has no cost either. */
export function unpricedModel(run: Run): string | undefined {
  const { result, cost } = run
  if (cost !== undefined || !tokensOf(run) || result === undefined || !('model' in result)) return undefined
  return result.model === '' || result.model.startsWith('test/') ? undefined : result.model
}

/** What is known of some runs together. */
export function toSummary(runs: readonly Run[]) {
  const costs = runs.flatMap(({ cost }) => (cost?.currency === 'USD' ? [cost.amount] : []))
  return {
    count: runs.length,
    failed: runs.filter(({ status }) => status === 'failed').length,
    costUsd: costs.length === 0 ? undefined : costs.reduce((sum, each) => sum + each, 0),
  }
}

/** The columns of an exported list. */
export const exportColumns: readonly (readonly [string, (run: Run) => string | number | undefined])[] = [
  ['id', ({ id }) => id],
  ['task', ({ task }) => task],
  ['agent', ({ agent_id }) => agent_id],
  ['graph', ({ graph_id }) => graph_id],
  ['source', sourceOf],
  ['status', ({ status }) => status],
  ['created_at', ({ created_at }) => created_at],
  ['finished_at', ({ finished_at }) => finished_at],
  ['duration_ms', ({ duration_ms }) => duration_ms],
  ['tokens', tokensOf],
  ['cost', ({ cost }) => cost?.amount],
  ['currency', ({ cost }) => cost?.currency],
  ['error', ({ result }) => (result && 'error' in result ? result.error : undefined)],
]

/** Whether a run can be started again: one of a graph starts with its graph. */
export const canRerun = ({ agent_id, status }: Run) =>
  agent_id !== undefined && status !== 'running' && status !== 'waiting'

/** Whether the run of a graph can be started again from its failed node. */
export const canRerunFailed = ({ graph_id, status }: Run) =>
  graph_id !== undefined && (status === 'failed' || status === 'cancelled')
