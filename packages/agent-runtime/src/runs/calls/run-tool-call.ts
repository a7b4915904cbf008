import { isToolContent, takeFiles } from '../../files/tool-content.ts'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { ToolContent } from '../../ports/tool-content.ts'
import { untilAborted } from '@homeward/kit'
import { startLimit } from '../../concurrency/start-limit.ts'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { ToolCallPart, ToolResult } from '../../ports/message.ts'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { WaitingAgent } from '../../ports/waiting-agent.ts'
import type { ActiveRun } from '../active-run.ts'
import type { RunTools } from '../turns/run-tools.ts'
import type { ArgumentChecks } from './check-arguments.ts'
import { isGivenUp } from '../run-interrupts.ts'
import { saveRunFiles } from '../persistence/save-run-files.ts'
import type { RunsContext } from '../runs-options.ts'
import { copyJson, cut, toBoundedJson } from '../../json/to-json.ts'

/** A tool call that may be made. */
export interface RunnableCall {
  readonly call: ToolCallPart
  readonly tool: Tool
  readonly args: JsonObject
}

/** A tool call that may be made, or the error that the model gets instead. */
export type CheckedCall =
  | RunnableCall
  | {
      readonly call: ToolCallPart
      readonly problem: string
      /** Whether a guard did not let it pass. @default false */
      readonly isRefused?: boolean
    }

/**
 * Arguments for a tool: a copy, because what it does to them must not reach the stored ones. A tool with `validate` knows the
 * object that it has parsed again, and takes a copy itself.
 */
export const ownArguments = (tool: Tool, args: JsonObject): JsonObject =>
  tool.validate ? args : copyJson(args)

const maxErrorChars = 4000
/** Finds the tool of a call and checks the arguments. What is wrong goes back to the model, never to the tool. */
export async function checkCall(
  call: ToolCallPart,
  { tools, signal }: Pick<ActiveRun, 'tools' | 'signal'>,
  checks: ArgumentChecks,
): Promise<CheckedCall> {
  const tool = tools.byId.get(call.name)
  if (!tool) return { call, problem: unknownTool(call.name, tools) }
  const { args } = call
  if (typeof args === 'string')
    return {
      call,
      problem: 'The arguments are not valid JSON, or are nested too deeply. Write one JSON object',
    }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return { call, problem: 'The arguments must be one JSON object' }
  }
  const check = await checks.check(tool, args, signal)
  if (check.outcome === 'valid') return { call, tool, args }
  return { call, problem: `The arguments do not match the parameters: ${check.problem}` }
}

function unknownTool(name: string, tools: RunTools): string {
  const known = tools.offered
    .map((tool) => tool.name)
    .slice(0, 100)
    .join(', ')
  return `No tool has the name "${cut(name, 100)}". ${known ? `Tools: ${known}` : 'This agent has no tools'}`
}

/**
 * Calls a tool within its time and gives its result, bounded and without secrets. Never rejects.
 *
 * @returns undefined when the run goes on somewhere else: how the call ended is not known here.
 */
export async function runToolCall(
  { call, tool, args }: RunnableCall,
  toolContext: Omit<ToolContext, 'signal'>,
  active: Pick<ActiveRun, 'signal' | 'redact' | 'own' | 'run'>,
  context: RunsContext,
): Promise<ToolResult | WaitingAgent | undefined> {
  const { signal: run, redact, own } = active
  const head = { id: call.id, name: tool.id }
  const limit = startLimit(tool.timeoutMs, run)
  const { signal } = limit
  try {
    if (signal.aborted) throw signal.reason
    const work = Promise.resolve(tool.call(ownArguments(tool, args), { ...toolContext, signal }))
    const abandon = () => context.detached.add(work)
    const value: unknown = await (tool.settlesOnAbort === true ? work : untilAborted(work, signal, abandon))
    if (isToolContent(value)) return { ...head, ...(await keepFiles(context, active, value)) }
    return { id: call.id, name: tool.id, result: redact.json(toResult(value, context.maxResultChars)) }
  } catch (error) {
    if (run.aborted && isGivenUp(run.reason)) return undefined
    // an agent that it waited for was stopped by the shutdown, a moment before itself
    if (own.isLeaving && isGivenUp(error)) return undefined
    if (run.aborted) return { ...head, error: 'The call was stopped because the run ended' }
    if (limit.isOver())
      return { ...head, error: `The call took longer than ${tool.timeoutMs} ms and was stopped` }
    if (error instanceof WaitingAgent) return error
    return { ...head, error: cut(redact.text(toMessage(error)), maxErrorChars) }
  } finally {
    limit.end()
  }
}

/** Stores the files of a result, before anything refers to them. */
async function keepFiles(
  context: RunsContext,
  { run, redact }: Pick<ActiveRun, 'run' | 'redact'>,
  value: ToolContent,
): Promise<Pick<ToolResult, 'result' | 'files'>> {
  const taken = await takeFiles(value, context.createId).catch((cause: unknown) => {
    throw unusable(cause)
  })
  const files = taken.files.map((file) => ({ ...file, name: redact.text(file.name) }))
  const result = redact.json(toResult(taken.result, context.maxResultChars))
  try {
    await whileStoreFails(context, () => saveRunFiles(context, run, { files, contents: taken.contents }))
  } catch (cause) {
    throw new Error('The call was made, but the files of its result could not be stored', { cause })
  }
  return { result, files }
}

function toResult(value: unknown, maxChars: number): Json {
  try {
    return toBoundedJson(value, maxChars)
  } catch (cause) {
    throw unusable(cause)
  }
}

function unusable(cause: unknown): Error {
  const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : 'unknown'
  return new Error(`The result of the tool is invalid: ${why}`, { cause })
}

function toMessage(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error)
    return text || 'The tool failed without a reason'
  } catch {
    return 'The tool failed without a reason'
  }
}
