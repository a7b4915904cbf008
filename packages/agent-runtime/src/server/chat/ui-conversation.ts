import type {
  Approval,
  Message,
  RunEvent,
  UiConversation,
  UiMessage,
} from '@homeward/contract/agent-platform'
import type { ConversationPage } from '../../conversations/conversations.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { PlatformContext } from '../platform-context.ts'
import { createUiChunks, type UiChunk, type UiChunkOptions } from '../ui-chunks.ts'
import { foldChunks } from './fold-chunks.ts'

type UiContext = Pick<PlatformContext, 'services' | 'basePath'>

/**
 * A conversation as `useChat` takes it: each answer is what its stream shows from its beginning, so that a page that loads it and a page
 * that has followed it show the same, under the same ids.
 */
export async function toUiConversation(
  { services, basePath }: UiContext,
  { conversation, messages, nextCursor }: ConversationPage,
  activeRunId: string | undefined,
  { reasoning, signal }: { readonly reasoning: boolean; readonly signal: AbortSignal },
): Promise<UiConversation> {
  const { id, agent_id, title } = conversation
  const shown = { basePath, declared: new Set(await services.agents.codeTools(agent_id)) }
  const turns = toTurns(messages, activeRunId, nextCursor !== undefined)
  const answerOf = async ({ runId, messages: stored }: Turn) =>
    runId === undefined ? undefined : await readAnswer({ services, shown, reasoning, signal }, runId, stored)
  const answers = await Promise.all(turns.map(answerOf))
  return {
    id,
    agent_id,
    ...(title !== undefined && { title }),
    ...(activeRunId !== undefined && { active_run_id: activeRunId }),
    messages: turns.flatMap(({ said }, at) => {
      const answer = answers[at]
      const isEmpty = answer?.parts.every(({ type }) => type === 'step-start') ?? true
      return [...(said ? [toSaid(said, basePath)] : []), ...(answer && !isEmpty ? [answer] : [])]
    }),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  }
}

/** A message of somebody, and the newest answer to it. */
interface Turn {
  /** The question, or a message that stands alone. */
  readonly said?: Message
  /** The newest run that answered it. */
  runId?: string | undefined
  /** What is stored of that run. */
  messages: Message[]
}

/** @param isPage whether older messages follow on another page: an answer without its question belongs there */
function toTurns(messages: readonly Message[], activeRunId: string | undefined, isPage: boolean): Turn[] {
  const turns: Turn[] = []
  const byRun = new Map<string, Turn>()
  for (const message of messages) {
    const { role, run_id: runId } = message
    if (role === 'user' || runId === undefined) {
      const turn: Turn = { said: message, runId, messages: [] }
      turns.push(turn)
      if (runId !== undefined) byRun.set(runId, turn)
      continue
    }
    const asked = byRun.get(runId) ?? turns.findLast(({ said }) => said?.role === 'user')
    if (asked) addAnswer(asked, runId, message)
    else if (!isPage) {
      const turn: Turn = { runId, messages: [message] }
      turns.push(turn)
      byRun.set(runId, turn)
    }
  }
  const newest = turns.findLast(({ said }) => said?.role === 'user')
  if (newest && activeRunId !== undefined && !turns.some(({ runId }) => runId === activeRunId))
    addAnswer(newest, activeRunId)
  return turns
}

/** Of several answers to one question, the newest counts. */
function addAnswer(turn: Turn, runId: string, message?: Message): void {
  if (turn.runId !== runId) turn.messages = []
  turn.runId = runId
  if (message) turn.messages.push(message)
}

function toSaid({ id, role, content, files = [] }: Message, basePath: string): UiMessage {
  return {
    id,
    role: role === 'user' ? 'user' : 'assistant',
    parts: [
      { type: 'text', text: content, ...(role === 'assistant' && { state: 'done' }) },
      ...files.map((file) => ({
        type: 'file',
        url: `${basePath}/api/files/${file.id}`,
        mediaType: file.media_type,
        filename: file.name,
      })),
    ],
  }
}

interface AnswerSources extends Pick<PlatformContext, 'services'> {
  readonly shown: UiChunkOptions
  readonly reasoning: boolean
  readonly signal: AbortSignal
}

/** The answer of a run, as its events tell it up to now. */
async function readAnswer(
  { services: { runs }, shown, reasoning, signal }: AnswerSources,
  runId: string,
  stored: readonly Message[],
): Promise<UiMessage> {
  const toChunks = createUiChunks(shown)
  const chunks: UiChunk[] = []
  try {
    for await (const { event } of runs.events(runId, 0, signal, { reasoning, untilNow: true }))
      chunks.push(...toChunks(event))
  } catch (error) {
    // its run was removed by retention: what is stored of the conversation remains
    if (RuntimeError.is(error) && error.code === 'not_found') return fromStored(runId, stored, shown)
    throw error
  }
  const answer = foldChunks(runId, chunks)
  const asksPeople = answer.parts.some((part) => part['approval'] !== undefined)
  return asksPeople ? withDecisions(answer, (await runs.find(runId))?.approvals ?? []) : answer
}

/** Adds what events do not tell: a call that was decided and is being made waits no more, and why a call was denied. */
function withDecisions(answer: UiMessage, approvals: readonly Approval[]): UiMessage {
  const byId = new Map(approvals.map((approval) => [approval.id, approval]))
  const parts = answer.parts.map((part) => {
    const asked = part['approval'] as { readonly id: string } | undefined
    const decided = asked && byId.get(asked.id)
    if (!decided) return part
    const { approval: _, ...call } = part
    if (part['state'] === 'approval-requested')
      return decided.status === 'pending' ? part : { ...call, state: 'input-available' }
    return decided.reason === undefined ? part : { ...part, approval: { ...asked, reason: decided.reason } }
  })
  return { ...answer, parts }
}

/** An answer of which only the messages are left: how its calls ended stands in texts. */
function fromStored(runId: string, stored: readonly Message[], shown: UiChunkOptions): UiMessage {
  const toChunks = createUiChunks(shown)
  const events = stored.flatMap((message): RunEvent[] => {
    const { role, content, tool_calls: calls = [], sources = [] } = message
    const { tool_call_id: id = '', tool_name: name = '' } = message
    const cited = sources.map((data) => ({ event: 'source' as const, data }))
    if (role === 'tool') return [{ event: 'tool_call', data: { id, name, result: content } }, ...cited]
    return [
      ...(content === '' ? [] : [{ event: 'assistant' as const, data: { delta: content } }]),
      ...cited,
      ...calls.map((data) => ({ event: 'tool_start' as const, data })),
    ]
  })
  const answer = foldChunks(runId, events.flatMap(toChunks))
  const parts = answer.parts.map((part) =>
    part['state'] === 'streaming' ? { ...part, state: 'done' } : part,
  )
  return { ...answer, parts }
}
