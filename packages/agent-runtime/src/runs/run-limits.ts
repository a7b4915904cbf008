import type { RunLimits } from '@homeward/contract/agent-platform'

const defaultMaxTurns = 10
const defaultMaxRuntimeSeconds = 600

/** Limits that count for a run: the agent's, narrowed by the request's and the caller's (A5). */
export function toRunLimits(
  agent: RunLimits | undefined,
  request: RunLimits | undefined,
  maxRuntimeMs: number | undefined,
): RunLimits {
  const tokens = smallest(agent?.max_tokens, request?.max_tokens)
  const seconds = maxRuntimeMs === undefined ? undefined : maxRuntimeMs / 1000
  return {
    max_turns: smallest(agent?.max_turns, request?.max_turns) ?? defaultMaxTurns,
    max_runtime: smallest(agent?.max_runtime, request?.max_runtime, seconds) ?? defaultMaxRuntimeSeconds,
    ...(tokens !== undefined && { max_tokens: tokens }),
  }
}

function smallest(...values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined)
  return given.length > 0 ? Math.min(...given) : undefined
}
