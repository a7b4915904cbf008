import type { Runs } from '../runs/runs.ts'
import type { RunAgent } from '../tools/built-in/run-agent-tool.ts'

/** Runs an agent for another one. The same call joins the same run, also after a crash. */
export const createRunAgent =
  (runs: Runs): RunAgent =>
  async ({ agentId, task, userId, metadata, depth, tainted, idempotencyKey, parentRunId, signal }) => {
    const request = {
      agent_id: agentId,
      task,
      idempotency_key: idempotencyKey,
      ...(userId !== undefined && { user_id: userId }),
      ...(metadata && { metadata }),
    }
    const { result } = await runs.start(request, {
      source: 'agent',
      depth,
      tainted,
      parentRunId,
      signal,
    })
    return result
  }
