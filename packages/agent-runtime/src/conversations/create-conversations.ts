import { repeatableId } from '../store/repeatable-id.ts'
import { appendOnce } from './append-once.ts'
import type {
  ConversationAppend,
  ConversationStore,
  StoredConversation,
} from '../store/ports/conversation-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { ConversationOwner, Conversations } from './conversations.ts'
import { findConversation, isOwnConversation, ownId, shownId } from '../store/own-conversation.ts'
import { toConversation, toMessages } from './to-messages.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import type { RunStore } from '../store/ports/run-store.ts'

/** What {@link createConversations} is built from. */
interface ConversationsOptions {
  readonly store: ConversationStore & Pick<RunStore, 'listRuns'>
  readonly now: () => number
  readonly createId: () => string
  /** Sums a conversation up and keeps the summary. */
  readonly summarize: (conversation: StoredConversation, signal?: AbortSignal) => Promise<string>
  /** Cancels a run, and waits until it has stopped. */
  readonly cancelRun: (id: string) => Promise<unknown>
}

const defaultLimit = 100
const maxLimit = 500

/** Conversations over a store (A12). */
export function createConversations(options: ConversationsOptions): Conversations {
  const { store, now, summarize } = options
  const timestamp = () => new Date(now()).toISOString()

  async function find(
    id: string,
    attempt: string,
    signal?: AbortSignal,
    { userId }: ConversationOwner = {},
  ): Promise<StoredConversation> {
    const found = await findConversation(store, id, userId, signal)
    if (found) return found
    throw notFound(attempt)
  }

  return {
    async list({ agentId, userId, agentIds, sources, limit, cursor } = {}, signal) {
      const filter = { agentId, userId, agentIds, sources }
      const { rows, nextCursor } = await readPage('conversations', toPage(limit, cursor), (part) =>
        store.listConversations(filter, part, signal),
      )
      return { conversations: rows.map(toConversation), ...(nextCursor !== undefined && { nextCursor }) }
    },

    async get(given, { limit, cursor, userId } = {}, signal) {
      const conversation = await find(given, 'Getting a conversation', signal, { userId })
      const { id } = conversation
      const { rows, nextCursor } = await readPage('messages', { ...toPage(limit, cursor), of: id }, (part) =>
        store.listMessages(id, part, signal),
      )
      const messages = rows.toReversed().flatMap(toMessages)
      return {
        conversation: toConversation(conversation),
        messages,
        ...(nextCursor !== undefined && { nextCursor }),
      }
    },

    append: createAppend(options),

    async rename(named, given, signal, owner) {
      const attempt = 'Renaming a conversation'
      const title = given?.trim() || null
      if (title !== null && title.length > 500) {
        throw new RuntimeError(
          'validation_error',
          `${attempt} failed: "title" must have at most 500 characters, got ${title.length}.`,
        )
      }
      const { id } = await find(named, attempt, signal, owner)
      if (!(await store.setConversationTitle(id, title, timestamp(), signal))) throw notFound(attempt)
      return toConversation(await find(id, attempt, signal))
    },

    async delete(named, signal, owner) {
      const conversation = await find(named, deleting, signal, owner)
      if (!(await store.deleteConversation(conversation.id, signal))) throw notFound(deleting)
      await cancelRuns(options, conversation, signal)
    },

    async summarize(id, signal, owner) {
      return summarize(await find(id, 'Summarizing a conversation', signal, owner), signal)
    },

    async storedId(id, userId, signal) {
      if (userId === undefined) return (await findConversation(store, id, userId, signal))?.id ?? id
      const own = ownId(id, userId)
      if (await store.findConversation(own, signal)) return own
      const exact = await store.findConversation(id, signal)
      return exact?.userId === userId ? id : own
    },
  }
}

/** Cancels the runs that work or wait in a conversation that was deleted. */
async function cancelRuns(
  { store, cancelRun }: ConversationsOptions,
  { id: conversationId, createdAt }: StoredConversation,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const status of ['running', 'waiting'] as const) {
    let cursor: string | undefined
    do {
      const page = await store.listRuns({ conversationId, status }, { limit: 100, cursor }, signal)
      for (const run of page.rows) {
        const { conversationCreatedAt = createdAt } =
          run.kind === 'agent' ? { ...run, ...run.progress.input } : {}
        // what was begun since goes on in a conversation of its own
        if (conversationCreatedAt === createdAt) await cancelRun(run.id)
      }
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }
}

/** Appends a message, and makes its conversation. */
function createAppend({ store, now, createId }: ConversationsOptions): Conversations['append'] {
  async function appendAll(
    messages: ConversationAppend,
    attempt: string,
    signal?: AbortSignal,
  ): Promise<void> {
    try {
      await store.appendMessages(messages, signal)
    } catch (cause) {
      // Somebody else began it since it was looked for: that is answered as if it had been there before.
      if (RuntimeError.is(cause) && cause.code === 'not_found') throw notFound(attempt)
      throw cause
    }
  }

  return async function append(given, signal) {
    const attempt = 'Appending a message'
    const { conversation_id: named, agent_id, user_id, title, idempotency_key: key, ...said } = given
    const known = named === undefined ? undefined : await findConversation(store, named, user_id, signal)
    const id = known?.id ?? named
    if (known && !isOwnConversation(known, { agentId: agent_id, userId: user_id })) throw notFound(attempt)
    const agentId = known?.agentId ?? agent_id
    if (agentId === undefined) {
      if (id !== undefined) throw notFound(attempt)
      throw new RuntimeError(
        'validation_error',
        `${attempt} failed: "agent_id" is missing. A new conversation needs the id of its agent.`,
      )
    }
    const toId = (what: string) => (key === undefined ? createId() : repeatableId(key, [what]))
    const conversationId = id ?? toId('conversation')
    const messageId = toId('message')
    const message =
      said.role === 'assistant'
        ? ({ role: 'assistant', parts: [{ type: 'text', text: said.content }] } as const)
        : ({ role: 'user', text: said.content } as const)
    const appended: ConversationAppend = {
      conversationId,
      agentId,
      ...(user_id !== undefined && { userId: user_id }),
      ...(title !== undefined && { title }),
      messages: [{ id: messageId, message }],
      now: new Date(now()).toISOString(),
    }
    const write = () => appendAll(appended, attempt, signal)
    if (key === undefined) await write()
    else await appendOnce({ store, appended, isNew: id === undefined, attempt, write }, signal)
    return { conversationId: shownId(conversationId), messageId }
  }
}

const deleting = 'Deleting a conversation'

const notFound = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no conversation has this id. List the conversations to find it.`,
  )

function toPage(limit = defaultLimit, cursor: string | undefined) {
  return { limit: boundedLimit(limit, maxLimit), cursor }
}
