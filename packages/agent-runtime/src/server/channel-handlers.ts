import { type RunSource, toChannelId } from '@homeward/contract/agent-platform'
import { HttpError, readBytes, type PlainReply, type RequestView } from '@homeward/contract/handler'
import type { ChannelReply, ChannelRequest } from '../ports/channel.ts'
import { findActiveRun } from './chat/chat-handlers.ts'
import { toUiConversation } from './chat/ui-conversation.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { titleOf } from './platform-errors.ts'
import { withIdempotencyKey } from './start-headers.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'
import type { ConversationPage } from '../conversations/conversations.ts'
import { isOwnConversation, notOwnConversation } from '../store/own-conversation.ts'

type ChannelHandlers = Pick<
  PlatformHandlers,
  | 'receiveChannelWebhook'
  | 'getChannelStatus'
  | 'setChannelWebhook'
  | 'listChannelMessages'
  | 'resolveChannelMessage'
  | 'sendChannelMessage'
  | 'listChannelRoutes'
  | 'setChannelRoutes'
  | 'listChannelSenders'
  | 'setChannelSender'
  | 'pairChannelSender'
>

/** Largest body of a webhook in bytes. A bridge sends files along. */
const maxBytesOf = (channel: string) => (toChannelId(channel) === 'channel_d' ? 32 : 1) * 1024 * 1024
const retryAfterSeconds = '5'

/** Messaging channels (A1). */
export function createChannelHandlers({ services: { channels } }: PlatformContext): ChannelHandlers {
  return {
    async receiveChannelWebhook({ params, request }) {
      const given = await toChannelRequest(request, maxBytesOf(params.channel))
      try {
        return toPlainReply(await channels.receive(params.channel, given))
      } catch (error) {
        throw toRefusal(error)
      }
    },
    getChannelStatus: async ({ params, query, request: { signal } }) =>
      channels.status(params.channel, { probe: query.probe === 'true' || query.probe === '1', signal }),
    async setChannelWebhook({ params, body, request }) {
      const url = await channels.setWebhook(params.channel, body.base_url, request.signal)
      return { ok: true, webhook_url: url }
    },
    async listChannelMessages({ params, query, request }) {
      const { messages, nextCursor } = await channels.messages(params.channel, query, request.signal)
      return { messages, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    async resolveChannelMessage({ params, body }) {
      return { ok: true, message: await channels.resolve(params.channel, params.id, body.decision) }
    },
    sendChannelMessage: async ({ params, body, request }) => ({
      message: await channels.send(params.channel, withIdempotencyKey(body, request)),
    }),
    listChannelRoutes: async ({ params, request }) => ({
      routes: await channels.routes(params.channel, request.signal),
    }),
    setChannelRoutes: async ({ params, body }) => ({
      ok: true,
      routes: await channels.setRoutes(params.channel, body.routes),
    }),
    listChannelSenders: async ({ params, request }) => ({
      senders: await channels.senders(params.channel, request.signal),
    }),
    setChannelSender: async ({ params, body }) => ({
      ok: true,
      sender: await channels.setSender(params.channel, params.id, body),
    }),
    pairChannelSender: async ({ params, body }) => ({
      ok: true,
      sender: await channels.pair(params.channel, body.code),
    }),
  }
}

async function toChannelRequest(request: RequestView, maxBytes: number): Promise<ChannelRequest> {
  const { method, search } = request
  return {
    method,
    search,
    header: (name) => request.header(name),
    body: await readBytes(request, 'The body', maxBytes),
    isLocal: isLocal(request),
  }
}

const loopbackAddress = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
/** A tunnel or a proxy on this machine also comes from loopback: these give it away. */
const forwarding = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-forwarded-server',
  'x-real-ip',
  'x-original-host',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
]
/** Any page that a person of this machine has open can post to loopback; its browser says so, and no bridge sends these. */
const browsing = ['origin', 'sec-fetch-site']

function isLocal(request: RequestView): boolean {
  return (
    request.remoteAddress !== undefined &&
    loopbackAddress.test(request.remoteAddress) &&
    loopbackHost.test(request.header('host') ?? '') &&
    [...forwarding, ...browsing].every((name) => request.header(name) === undefined)
  )
}

/** Statuses with which a `Response` takes no body, not even an empty one. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** A refusal is an error like any other (A2), and says no more: whoever was refused may be anybody. */
function toPlainReply({ status, contentType, body = '' }: ChannelReply): PlainReply {
  if (status >= 400 && body === '') throw new HttpError(status, { error: titleOf(status) })
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType }
  return { status, headers, body: bodiless.has(status) ? null : body }
}

/** What could not be kept is sent again by the platform when it hears so. */
function toRefusal(error: unknown): unknown {
  if (!RuntimeError.is(error) || error.code !== 'storage_error') return error
  const message = 'The message could not be stored. Send it again.'
  const body = { error: 'Not available', message, code: 'storage_error' }
  return Object.assign(new HttpError(503, body, { 'retry-after': retryAfterSeconds }), { cause: error })
}

type ConversationHandlers = Pick<
  PlatformHandlers,
  | 'listConversations'
  | 'getConversation'
  | 'appendMessage'
  | 'renameConversation'
  | 'deleteConversation'
  | 'summarizeConversation'
>

/** The contract has checked each of them. */
const toSources = (given: string | undefined) => given?.split(',') as RunSource[] | undefined

type ShowQuery = Parameters<ConversationHandlers['getConversation']>[0]['query']

/** Conversations (A12). */
export function createConversationHandlers(context: PlatformContext): ConversationHandlers {
  const { conversations } = context.services
  const show = async (id: string, { limit, cursor, user_id: userId }: ShowQuery, signal: AbortSignal) =>
    toConversationReply(await conversations.get(id, { limit, cursor, userId }, signal))

  return {
    async listConversations({ query, caller, request: { signal } }) {
      const { agent_id: agentId, user_id: userId, conversation_id: id, limit, cursor } = query
      if (id !== undefined) {
        const shown = await show(id, query, signal)
        const { agent_id, user_id } = shown.conversation
        // whoever names an agent or a user asks for theirs, as in the list
        if (isOwnConversation({ agentId: agent_id, userId: user_id }, { agentId, userId })) return shown
        throw notOwnConversation('Getting a conversation')
      }
      const { nextCursor, ...found } = await conversations.list(
        { agentId, userId, limit, cursor, sources: toSources(query.source), agentIds: caller?.agents },
        signal,
      )
      return { ...found, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    async getConversation({ params: { id }, query, request: { signal } }) {
      if (query.format !== 'ui') return show(id, query, signal)
      const { limit = mostMessages, cursor, user_id: userId } = query
      const page = await conversations.get(id, { limit, cursor, userId }, signal)
      const active = await findActiveRun(context, id)
      const options = { reasoning: query.reasoning === 'true', signal }
      const conversation: unknown = await toUiConversation(context, page, active?.id, options)
      return conversation as Awaited<ReturnType<typeof show>> // the schema has both, the type only one
    },
    async appendMessage({ body, request }) {
      const given = withIdempotencyKey(body, request)
      const { conversationId, messageId } = await conversations.append(given, request.signal)
      return { ok: true, conversation_id: conversationId, message_id: messageId }
    },
    async renameConversation({ params, query, body, request }) {
      const owner = { userId: query.user_id }
      return {
        ok: true,
        conversation: await conversations.rename(params.id, body.title, request.signal, owner),
      }
    },
    async deleteConversation({ params, query, request }) {
      await conversations.delete(params.id, request.signal, { userId: query.user_id })
      return { ok: true }
    },
    async summarizeConversation({ body, request }) {
      const { conversation_id: id, user_id: userId } = body
      return { ok: true, summary: await conversations.summarize(id, request.signal, { userId }) }
    },
  }
}

/** Messages of a conversation that a page opens at once. */
const mostMessages = 500

function toConversationReply({ conversation, messages, nextCursor }: ConversationPage) {
  return { conversation, messages, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
}

type MemoryHandlers = Pick<
  PlatformHandlers,
  'writeMemory' | 'listMemories' | 'searchMemory' | 'searchMemoryByBody' | 'deleteMemory'
>

/** Long-term memory (A11). */
export function createMemoryHandlers({ runtime, services: { memory } }: PlatformContext): MemoryHandlers {
  return {
    async writeMemory({ body, request }) {
      const { id } = await memory.write(withIdempotencyKey(body, request), { signal: request.signal })
      return { ok: true, id }
    },
    async listMemories({ query: { agent_id: agentId, user_id: userId, tags, limit, cursor }, request }) {
      const options = { agentId, userId, tags: toTags(tags), limit, cursor }
      const { memories, nextCursor } = await memory.list(options, request.signal)
      return { memories: [...memories], ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
    async searchMemory({ query: { tags, ...query }, request }) {
      // the tags were one text so far: the runtime checks them
      return { results: await runtime.memory.search({ ...query, tags: toTags(tags) }, request.signal) }
    },
    searchMemoryByBody: async ({ body, request }) => ({ results: await memory.search(body, request.signal) }),
    async deleteMemory({ params, request }) {
      await memory.delete(params.id, request.signal)
      return { ok: true }
    },
  }
}

function toTags(given: string | undefined): string[] | undefined {
  const tags = given?.split(',').map((tag) => tag.trim())
  return tags?.filter((tag) => tag !== '')
}
