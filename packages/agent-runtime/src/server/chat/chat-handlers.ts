import type { Run } from '@homeward/contract/agent-platform'
import type { PlainReply } from '@homeward/contract/handler'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { notOwnConversation } from '../../store/own-conversation.ts'
import type { PlatformContext, PlatformHandlers } from '../platform-context.ts'
import { createRunStreams } from '../run-streams.ts'
import { createChats } from './stream-chat.ts'

type ChatHandlers = Pick<PlatformHandlers, 'chat' | 'resumeChat' | 'stopChat' | 'cancelConversation'>

/** The addresses that `useChat` of the AI SDK knows. */
export function createChatHandlers(context: PlatformContext): ChatHandlers {
  const { runs, conversations } = context.services
  const streams = createRunStreams(context)
  const chats = createChats(context, streams)

  /** @returns undefined if the agent has no such conversation. */
  async function agentOf(id: string, signal: AbortSignal): Promise<string | undefined> {
    try {
      return (await conversations.get(id, { limit: 1 }, signal)).conversation.agent_id
    } catch (error) {
      if (RuntimeError.is(error) && error.code === 'not_found') return undefined
      throw error
    }
  }

  async function stop(conversationId: string): Promise<{ ok: true }> {
    for await (const run of activeRunsOf(context, conversationId)) await runs.cancel(run.id)
    return { ok: true }
  }

  return {
    chat: ({ params, query, body, caller, request }) =>
      chats.stream(request, { ...query, format: 'ui' }, { ...body, agent_id: params.agent_id }, caller),
    async resumeChat({ params: { agent_id, conversation_id }, query, request }) {
      if ((await agentOf(conversation_id, request.signal)) !== agent_id) return nothingRuns
      const run = await findActiveRun(context, conversation_id)
      return run ? streams.follow(request, { ...query, format: 'ui' }, run, 0) : nothingRuns
    },
    async stopChat({ params: { agent_id, conversation_id }, request }) {
      if ((await agentOf(conversation_id, request.signal)) !== agent_id)
        throw notOwnConversation('Stopping a chat')
      return stop(conversation_id)
    },
    async cancelConversation({ params, request }) {
      if ((await agentOf(params.id, request.signal)) === undefined)
        throw notOwnConversation('Stopping a conversation')
      return stop(params.id)
    },
  }
}

/** A cache may keep a 204 that says nothing about it. */
const nothingRuns: PlainReply = { status: 204, headers: { 'cache-control': 'no-store' }, body: null }

/** The newest run that works or waits in a conversation. */
export async function findActiveRun(
  context: Pick<PlatformContext, 'services'>,
  conversationId: string,
): Promise<Run | undefined> {
  const found = await Array.fromAsync(activeRunsOf(context, conversationId))
  return found.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1))[0]
}

async function* activeRunsOf(
  { services: { runs } }: Pick<PlatformContext, 'services'>,
  conversationId: string,
): AsyncGenerator<Run> {
  for (const status of ['running', 'waiting'] as const) {
    const page = await runs.list({ conversationId, status, limit: 100 })
    yield* page.runs
  }
}
