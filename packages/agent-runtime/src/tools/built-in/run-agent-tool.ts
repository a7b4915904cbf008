import type { Json, JsonObject, RunResult } from '@homeward/contract/agent-platform'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { boundResult } from '../bound-result.ts'
import { isWaiting, WaitingAgent, waitsIn } from '../../ports/waiting-agent.ts'
import { textOf } from './read-arguments.ts'

/** An agent that another one starts. */
export interface AgentCall {
  readonly agentId: string
  readonly task: string
  /** The user of the run that asks. */
  readonly userId?: string
  /** The metadata of the run that asks. */
  readonly metadata?: JsonObject
  /** Agents above the new run. */
  readonly depth: number
  /** Whether the task may come from content that a stranger made: the new run starts with that (A20). */
  readonly tainted: boolean
  /** Run that asks. */
  readonly parentRunId: string
  /** The same for every repeat of this call: it joins the run that the first one started. */
  readonly idempotencyKey: string
  /** Aborts when the run that asks ends: its own rest of time is the most that there is. */
  readonly signal: AbortSignal
}

/** Runs an agent to its end. @throws {RuntimeError} `not_found` and whatever keeps a run from starting. */
export type RunAgent = (call: AgentCall) => Promise<RunResult>

/** Hands a task to another agent. @param maxDepth Agents above one another at most, the first one not counted. */
export function createRunAgentTool(runAgent: RunAgent, maxDepth: number, maxResultBytes: number): Tool {
  return {
    id: 'run_agent',
    description: 'Hands a task to another agent and waits for its answer.',
    inputSchema: {
      type: 'object',
      properties: {
        agent_id: { type: 'string', minLength: 1, maxLength: 64 },
        task: {
          type: 'string',
          minLength: 1,
          maxLength: 100_000,
          description: 'Complete: the agent sees nothing else.',
        },
      },
      required: ['agent_id', 'task'],
      additionalProperties: false,
    },
    // what the other agent does to the world is decided there, with this run's taint
    effects: 'write',
    // a repeat joins the run that was started
    idempotent: true,
    returnsUntrustedContent: true,
    // the other run is cancelled with this one: it has to end first, with its programs
    settlesOnAbort: true,
    async execute(args, context) {
      const agentId = textOf(args, 'agent_id')
      const depth = context.depth + 1
      if (depth > maxDepth) {
        const text = `Running the agent "${agentId}" failed: calls between agents can be nested at most ${maxDepth} deep. Do the task yourself.`
        throw new RuntimeError('forbidden', text)
      }
      const result = await runAgent(toCall(agentId, textOf(args, 'task'), depth, context))
      if (isWaiting(result)) throw new WaitingAgent(result.run_id, waitsIn(result))
      return boundResult(toResult(result), maxResultBytes)
    },
  }
}

function toCall(agentId: string, task: string, depth: number, context: ToolContext): AgentCall {
  const { userId, metadata, tainted, runId, idempotencyKey, signal } = context
  return {
    agentId,
    task,
    depth,
    tainted,
    parentRunId: runId,
    idempotencyKey,
    signal,
    ...(userId === undefined ? {} : { userId }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

function toResult({ success, output, error, stop_reason, run_id }: RunResult): Json {
  return { success, output, stop_reason, run_id, ...(error === undefined ? {} : { error }) }
}
