import type { FileReference, Message, RunMessage, RunResult } from '@homeward/contract/agent-platform'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { EvalCase } from './eval-case.ts'
import type { EvalRuntime } from './scorer.ts'

/** Messages of a request at most. */
const maxHistory = 1000

/** Makes a case of a stored run. */
export async function caseFromRun(
  runtime: EvalRuntime,
  runId: string,
  signal?: AbortSignal,
): Promise<EvalCase> {
  const run = await runtime.runs.find(runId)
  if (!run) throw failed('not_found', `no run has the id ${runId.slice(0, 100)}`)
  const { agent_id, graph_id, conversation_id, result, task, user_id, metadata } = run
  if (!result || run.status === 'running' || run.status === 'waiting')
    throw failed('validation_error', 'the run has not ended. Wait until it ends')
  const shared = {
    name: `run ${runId}`,
    task,
    ...(user_id !== undefined && { user_id }),
    ...(metadata && { metadata }),
  }
  if (graph_id !== undefined) return { ...shared, graph_id, expected: { output: result.output } }
  if (agent_id === undefined || !('steps' in result)) throw failed('validation_error', 'the run has no agent')
  const { before, own } = await historyOf(runtime, { id: conversation_id, userId: user_id }, runId, signal)
  const question = own.find(({ role }) => role === 'user')
  return {
    ...shared,
    agent_id,
    ...(before.length > 0 && { messages: await toRunMessages(runtime, before, signal) }),
    ...(question?.files && { files: await loadFiles(runtime, question.files, signal) }),
    expected: expectationOf(result),
  }
}

const expectationOf = ({ output, data, steps }: RunResult) => ({
  output,
  tools: steps.map(({ tool }) => tool),
  ...(data !== undefined && { data }),
})

/** Messages of a conversation before a run, and those of the run; none if the conversation is gone. */
async function historyOf(
  { conversations }: EvalRuntime,
  { id, userId }: { readonly id: string | undefined; readonly userId: string | undefined },
  runId: string,
  signal?: AbortSignal,
) {
  const messages: Message[] = []
  let cursor: string | undefined
  try {
    do {
      if (id === undefined) break
      const page = await conversations.get(id, { limit: 500, cursor, userId }, signal)
      messages.unshift(...page.messages)
      cursor = page.nextCursor
    } while (cursor !== undefined)
  } catch (error) {
    if (!RuntimeError.is(error) || error.code !== 'not_found') throw error
  }
  const at = messages.findIndex((message) => message.run_id === runId)
  const before = at < 0 ? [] : messages.slice(0, at).filter(isSaid).slice(-maxHistory)
  return { before, own: messages.filter((message) => message.run_id === runId) }
}

/** Calls of tools and their results cannot be brought along by a request. */
const isSaid = ({ role, content }: Message) => role !== 'tool' && content !== ''

const toRunMessages = (
  runtime: EvalRuntime,
  messages: readonly Message[],
  signal?: AbortSignal,
): Promise<RunMessage[]> =>
  Promise.all(
    messages.map(async ({ role, content, files }) => ({
      role: role === 'user' ? ('user' as const) : ('assistant' as const),
      content,
      ...(role === 'user' && files && { files: await loadFiles(runtime, files, signal) }),
    })),
  )

const loadFiles = (
  { files }: EvalRuntime,
  references: readonly FileReference[],
  signal?: AbortSignal,
): Promise<EvalFile[]> =>
  Promise.all(
    references.map(async ({ id, name, media_type }) => {
      const { content } = await files.get(id, signal)
      return { name, media_type, data: content }
    }),
  )

type EvalFile = { name: string; media_type: string; data: Uint8Array }

const failed = (code: 'not_found' | 'validation_error', problem: string) =>
  new RuntimeError(code, `Creating a case from the run failed: ${problem}.`)
