import { repeatableId } from '../store/repeatable-id.ts'
import { appendOnce } from './append-once.ts'
import type {
  ConversationAppend,
  ConversationStore,
  StoredConversation,
} from '../store/ports/conversation-store.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Conversations } from './conversations.ts'
import { isOwnConversation } from '../store/own-conversation.ts'
import { toConversation, toMessages } from './to-messages.ts'
import { boundedLimit } from '../paging/bounded-limit.ts'
import { readPage } from '../paging/read-page.ts'
import type { RunStore, StoredAgentRun } from '../store/ports/run-store.ts'

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
  const { store, now, createId, summarize, cancelRun } = options
  const timestamp = () => new Date(now()).toISOString()

  async function find(id: string, attempt: string, signal?: AbortSignal): Promise<StoredConversation> {
    const found = await store.findConversation(id, signal)
    if (found) return found
    throw notFound(attempt)
  }

  async function append(messages: ConversationAppend, attempt: string, signal?: AbortSignal): Promise<void> {
    try {
      await store.appendMessages(messages, signal)
    } catch (cause) {
      // Somebody else began it since it was looked for: that is answered as if it had been there before.
      if (RuntimeError.is(cause) && cause.code === 'not_found') throw notFound(attempt)
      throw cause
    }
  }

  return {
    async list({ agentId, userId, limit, cursor } = {}, signal) {
      const filter = { agentId, userId }
      const { rows, nextCursor } = await readPage('conversations', toPage(limit, cursor), (part) =>
        store.listConversations(filter, part, signal),
      )
      return { conversations: rows.map(toConversation), ...(nextCursor !== undefined && { nextCursor }) }
    },

    async get(id, { limit, cursor } = {}, signal) {
      const conversation = await find(id, 'Getting a conversation', signal)
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

    async append(given, signal) {
      const attempt = 'Appending a message'
      const { conversation_id: id, agent_id, user_id, title, idempotency_key: key, ...said } = given
      const known = id === undefined ? undefined : await store.findConversation(id, signal)
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
        now: timestamp(),
      }
      const write = () => append(appended, attempt, signal)
      if (key === undefined) await write()
      else await appendOnce({ store, appended, isNew: id === undefined, attempt, write }, signal)
      return { conversationId, messageId }
    },

    async rename(id, given, signal) {
      const attempt = 'Renaming a conversation'
      const title = given?.trim() || null
      if (title !== null && title.length > 500) {
        throw new RuntimeError(
          'validation_error',
          `${attempt} failed: "title" must have at most 500 characters, got ${title.length}.`,
        )
      }
      if (!(await store.setConversationTitle(id, title, timestamp(), signal))) throw notFound(attempt)
      return toConversation(await find(id, attempt, signal))
    },

    async delete(id, signal) {
      const attempt = 'Deleting a conversation'
      const { createdAt } = await find(id, attempt, signal)
      if (!(await store.deleteConversation(id, signal))) throw notFound(attempt)
      for await (const run of openRunsOf(store, id, signal)) {
        const { conversationCreatedAt = createdAt } = { ...run, ...run.progress.input }
        // what was begun since goes on in a conversation of its own
        if (conversationCreatedAt === createdAt) await cancelRun(run.id)
      }
    },

    async summarize(id, signal) {
      return summarize(await find(id, 'Summarizing a conversation', signal), signal)
    },
  }
}

/** Runs of a conversation that work or wait. */
async function* openRunsOf(
  store: Pick<RunStore, 'listRuns'>,
  conversationId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StoredAgentRun> {
  for (const status of ['running', 'waiting'] as const) {
    let cursor: string | undefined
    do {
      const page = await store.listRuns({ conversationId, status }, { limit: 100, cursor }, signal)
      for (const run of page.rows) if (run.kind === 'agent') yield run
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }
}

const notFound = (attempt: string) =>
  new RuntimeError(
    'not_found',
    `${attempt} failed: no conversation has this id. List the conversations to find it.`,
  )

function toPage(limit = defaultLimit, cursor: string | undefined) {
  return { limit: boundedLimit(limit, maxLimit), cursor }
}
