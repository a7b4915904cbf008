import type { Json, JsonObject, RunResult } from '@homeward/contract/agent-platform'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { boundResult } from '../bound-result.ts'
import { isWaiting, WaitingAgent, waitsIn } from '../../ports/waiting-agent.ts'
import { isJsonObject } from '../../json/json-object.ts'
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
  /** Whether the run that asks goes on at once, and gets the result as a message. */
  readonly background: boolean
  /** Aborts when the run that asks ends: its own rest of time is the most that there is. */
  readonly signal: AbortSignal
}

/** An agent that works in the background. */
interface AgentUnderWay {
  readonly run_id: string
  readonly status: 'running'
}

/** Runs an agent to its end, or starts it in the background. @throws {RuntimeError} `not_found` and whatever keeps a run from starting. */
export type RunAgent = (call: AgentCall) => Promise<RunResult | AgentUnderWay>

/** Hands a task to another agent. @param maxDepth Agents above one another at most, the first one not counted. */
export function createRunAgentTool(runAgent: RunAgent, maxDepth: number, maxResultBytes: number): Tool {
  return {
    id: 'run_agent',
    description:
      'Hands a task to another agent and waits for its answer. With "background" you continue at once, and the answer comes later ' +
      'as a message.',
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
        background: { type: 'boolean', description: 'For work that takes long.' },
      },
      required: ['agent_id', 'task'],
      additionalProperties: false,
    },
    // what the other agent does to the world is decided there, with this run's taint
    effects: 'write',
    // a repeat joins the run that was started
    idempotent: true,
    // the id of a run in the background holds nothing of it
    returnsUntrustedContent: (result) => !isJsonObject(result) || result['status'] !== 'running',
    // the other run is cancelled with this one: it has to end first, with its programs
    settlesOnAbort: true,
    async execute(args, context) {
      const agentId = textOf(args, 'agent_id')
      const depth = context.depth + 1
      if (depth > maxDepth) {
        const text = `Running the agent "${agentId}" failed: calls between agents can be nested at most ${maxDepth} deep. Do the task yourself.`
        throw new RuntimeError('forbidden', text)
      }
      const background = args['background'] === true
      const result = await runAgent(
        toCall({ agentId, task: textOf(args, 'task'), depth, background }, context),
      )
      if ('status' in result) return { ...result }
      if (isWaiting(result)) throw new WaitingAgent(result.run_id, waitsIn(result))
      return boundResult(toResult(result), maxResultBytes)
    },
  }
}

function toCall(
  asked: Pick<AgentCall, 'agentId' | 'task' | 'depth' | 'background'>,
  context: ToolContext,
): AgentCall {
  const { userId, metadata, tainted, runId, idempotencyKey, signal } = context
  return {
    ...asked,
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
