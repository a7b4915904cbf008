import type { JsonObject, Json } from '@homeward/contract/agent-platform'
import { whileStoreFails } from '../../concurrency/while-store-fails.ts'
import type { ToolCallPart } from '../../ports/message.ts'
import type { Tool } from '../../ports/tool.ts'
import { runCalls } from '../calls/make-calls.ts'
import { noTools } from '../loop/prompt.ts'
import type { Run, RunStop } from '../loop/run.ts'
import { endCalls } from '../loop/turns.ts'
import { lastCalls } from '../run-messages.ts'
import { findMadeCall } from './plan-undo.ts'

/** A call that is to be undone. */
interface UndoCall {
  /** The call of the undo, as the run that undoes holds it. */
  readonly call: ToolCallPart
  /** Tool of the call that is undone. */
  readonly tool: string
  readonly result: Json
  /** Key of the call that is undone. */
  readonly key: string
  /** Whether the run was tainted when it made the call: then a person approves its undo too. */
  readonly tainted: boolean
}

/** Id of the call that undoes the n-th planned step. */
export const undoCallId = (index: number): string => `undo-${index}`

/**
 * Gives a run that undoes another one its tools, and what does its work in place of a model. Each undo is a call of its own, with
 * its entry in the ledger and its approval. A call that was cut off is made again, with the key of the call that it undoes.
 */
export async function openUndo(run: Run): Promise<() => Promise<RunStop>> {
  const calls = await readCalls(run)
  const current = () => {
    const id = lastCalls(run.writer.messages)[0]?.id
    return calls.find(({ call }) => call.id === id)
  }
  const byId = new Map<string, Tool>()
  for (const { call, tool: id } of calls) {
    const tool = run.tools.byId.get(id)
    if (tool) byId.set(call.name, toUndoTool(tool, current))
  }
  run.tools = { ...noTools, byId }
  return () => takeBack(run, calls)
}

async function readCalls({ context, row, signal }: Run): Promise<UndoCall[]> {
  const { undoes } = row
  if (!undoes) return []
  const read = () => context.store.listRunMessages(undoes.runId, signal)
  const messages = await whileStoreFails(context, read, signal)
  return undoes.steps.flatMap((planned, index): UndoCall[] => {
    if (planned.reason !== undefined) return []
    const { call, result } = findMadeCall(messages, planned)
    if (!call || !result?.undo) return []
    const { edited_args: args = call.args, result: made = null, undo } = result
    const own: ToolCallPart = {
      type: 'tool_call',
      id: undoCallId(index),
      // approvals and events must not look as if the call itself were made again
      name: `undo:${planned.tool}`,
      args,
    }
    return [{ call: own, tool: planned.tool, result: made, ...undo }]
  })
}

/** The tool that undoes calls of another one. It has its id, so the same approvals apply. */
function toUndoTool(tool: Tool, current: () => UndoCall | undefined): Tool {
  const { verify: _verify, sourcesOf: _sourcesOf, ...rest } = tool
  return {
    ...rest,
    idempotent: true,
    // no model reads it
    returnsUntrustedContent: false,
    async execute(args: JsonObject, context) {
      const { result = null, key: idempotencyKey = '' } = current() ?? {}
      const { runId, agentId, conversationId, userId, metadata, context: own, signal } = context
      const about = { runId, agentId, conversationId, metadata, context: own, signal, idempotencyKey }
      const undone = await tool.undo?.(args, result, { ...about, ...(userId !== undefined && { userId }) })
      // whatever is not JSON becomes JSON where it is stored
      return (undone ?? null) as Json
    },
  }
}

/** One after the other, newest first. A step that fails stops none of the others. */
async function takeBack(run: Run, calls: readonly UndoCall[]): Promise<RunStop> {
  for (const { call, tainted } of calls) {
    if (isAnswered(run, call.id)) continue
    run.signal.throwIfAborted()
    run.progressed({ turns: run.progress.turns + 1, tainted })
    run.add({ role: 'assistant', parts: [call] })
    const pause = endCalls(run, await runCalls(run, [call]))
    if (pause) return pause
  }
  const results = run.writer.messages.flatMap((message) => (message.role === 'tool' ? message.results : []))
  const undone = results.filter(({ error }) => error === undefined).length
  const text = `Undone: ${undone} of ${run.row.undoes?.steps.length ?? 0} calls.`
  run.log.push({ event: 'assistant', data: { delta: text } })
  run.add({ role: 'assistant', parts: [{ type: 'text', text }] })
  run.answered(text)
  return { stop: 'done' }
}

const isAnswered = ({ writer }: Run, callId: string) =>
  writer.messages.some(
    (message) => message.role === 'tool' && message.results.some(({ id }) => id === callId),
  )
