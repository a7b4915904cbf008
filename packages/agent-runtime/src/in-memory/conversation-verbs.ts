import type {
  ConversationAppend,
  ConversationFilter,
  NewMessage,
  StoredConversation,
  StoredMessage,
} from '../store/ports/conversation-store.ts'
import type { Page, PageRequest } from '../store/ports/page.ts'
import type { ModelMessage } from '../ports/message.ts'
import { isOwnConversation, notOwnConversation } from '../conversations/own-conversation.ts'
import { numberPositionOf, timePositionOf, toPage } from '../paging/cursor.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { EncodedJson } from './encoded-json.ts'
import { decodeMessages } from './encoded-messages.ts'
import type { ConversationRecord, MessageChunk, Tables } from './tables.ts'
import { fromJson } from '../store/sql/json.ts'
import { toTurnId } from '../store/sql/conversations/turn-id.ts'

/** {@link ConversationStore.appendMessages}, in memory. */
export function appendMessages(tables: Tables, append: ConversationAppend): void {
  assertMayAppend(tables, append)
  addMessages(tables, append)
}

/** Messages that a run has encoded already. */
interface KnownMessages {
  readonly messages: readonly ModelMessage[]
  readonly json: EncodedJson
}

/** The same for messages that are known to be new, and for this conversation. */
export function addMessages(tables: Tables, append: ConversationAppend, known?: KnownMessages): void {
  const { conversationId, messages, now } = append
  const conversation = tables.conversations.get(conversationId) ?? createConversation(append)
  tables.conversations.set(conversationId, conversation)
  if (now > conversation.updatedAt) conversation.updatedAt = now
  if (messages.length === 0) return
  const firstSeq = conversation.messageCount + 1
  conversation.messages.push(toChunk(append, firstSeq, known))
  conversation.messageCount += messages.length
  const { messageIds } = conversation
  if (messageIds) for (const { id } of messages) messageIds.add(id)
}

function toChunk(
  { messages, turnOf: runId, now }: ConversationAppend,
  firstSeq: number,
  known: KnownMessages | undefined,
): MessageChunk {
  if (runId !== undefined) return { firstSeq, runId, createdAt: now, ...splitTurn(messages, known) }
  const stored = messages.map(({ id, message, runId: other }, index): StoredMessage =>
    other === undefined
      ? { id, message, seq: firstSeq + index, createdAt: now }
      : { id, message, seq: firstSeq + index, createdAt: now, runId: other },
  )
  return { firstSeq, json: JSON.stringify(stored) }
}

/** A turn is the person's message, and then what the run has kept step by step: the very same messages. */
function splitTurn(messages: readonly NewMessage[], known: KnownMessages | undefined) {
  const before = messages.length - (known?.messages.length ?? 0)
  const hasKnown = known?.messages.every((message, index) => messages[before + index]?.message === message)
  const own = hasKnown ? messages.slice(0, before) : messages
  const json = JSON.stringify(own.map(({ message }) => message))
  return { json, ofRun: hasKnown ? known?.json : undefined }
}

function messagesIn(chunk: MessageChunk): StoredMessage[] {
  if (!('runId' in chunk)) return fromJson<StoredMessage[]>(chunk.json)
  const { json, ofRun, runId, createdAt, firstSeq } = chunk
  const own = fromJson<ModelMessage[]>(json)
  const messages = ofRun ? [...own, ...decodeMessages(ofRun)] : own
  return messages.map((message, index) => ({
    id: toTurnId(runId, index),
    message,
    seq: firstSeq + index,
    createdAt,
    runId,
  }))
}

/** Throws before anything is changed when a message is there already, or the conversation is somebody else's. */
export function assertMayAppend(tables: Tables, append: ConversationAppend): void {
  const conversation = tables.conversations.get(append.conversationId)
  const { conversationCreatedAt = conversation?.createdAt } = append
  const isSame = conversation?.createdAt === conversationCreatedAt
  if (!isSame || (conversation && !isOwnConversation(conversation, append))) {
    throw notOwnConversation('Appending messages')
  }
  assertNewMessages(conversation, append)
}

function assertNewMessages(
  conversation: ConversationRecord | undefined,
  { messages, turnOf }: ConversationAppend,
): void {
  // ids of a turn count on, so they are distinct
  if (turnOf !== undefined || new Set(messages.map(({ id }) => id)).size === messages.length) {
    if (conversation === undefined) return
    const known = (conversation.messageIds ??= idsIn(conversation))
    if (messages.every(({ id }) => !known.has(id))) return
  }
  throw new RuntimeError(
    'conflict',
    'Appending messages failed: the id of one is in use already in the conversation. Make a new one.',
  )
}

const idsIn = ({ messages }: ConversationRecord) =>
  new Set(messages.flatMap((chunk) => messagesIn(chunk).map(({ id }) => id)))

/** {@link ConversationStore.findConversation}, in memory. */
export function findConversation(tables: Tables, id: string): StoredConversation | undefined {
  const row = tables.conversations.get(id)
  return row === undefined ? undefined : toConversation(row)
}

/** {@link ConversationStore.listConversations}, in memory. */
export function listConversations(
  tables: Tables,
  filter: ConversationFilter,
  page: PageRequest,
): Page<StoredConversation> {
  const after = timePositionOf(page)
  const rows = [...tables.conversations.values()]
    .filter(
      (row) =>
        (filter.agentId === undefined || row.agentId === filter.agentId) &&
        (filter.userId === undefined || row.userId === filter.userId) &&
        (after === undefined || compare(row, { updatedAt: after[0], id: after[1] }) > 0),
    )
    .toSorted(compare)
  return toPage(rows, page.limit, toConversation, ({ updatedAt, id }) => [updatedAt, id])
}

/** {@link ConversationStore.listMessages}, in memory. */
export function listMessages(tables: Tables, conversationId: string, page: PageRequest): Page<StoredMessage> {
  const { messages: chunks = [], messageCount = 0 } = tables.conversations.get(conversationId) ?? {}
  const found: StoredMessage[] = []
  // Numbers have no gaps, so they tell the place.
  let seq = Math.min(messageCount, (numberPositionOf(page) ?? messageCount + 1) - 1)
  for (let place = chunks.length - 1; place >= 0 && found.length <= page.limit; place -= 1) {
    const chunk = chunks[place]
    if (chunk === undefined || chunk.firstSeq > seq) continue
    const messages = messagesIn(chunk)
    for (; seq >= chunk.firstSeq && found.length <= page.limit; seq -= 1) {
      const message = messages[seq - chunk.firstSeq]
      if (message !== undefined) found.push(message)
    }
  }
  return toPage(
    found,
    page.limit,
    (message) => message,
    ({ seq: number }) => [number],
  )
}

/** {@link ConversationStore.setConversationTitle}, in memory. */
export function setConversationTitle(tables: Tables, id: string, title: string | null, now: string): boolean {
  const row = tables.conversations.get(id)
  if (row === undefined) return false
  row.title = title ?? undefined
  if (now > row.updatedAt) row.updatedAt = now
  return true
}

/** {@link ConversationStore.saveSummary}, in memory. */
export function saveSummary(
  tables: Tables,
  { id, createdAt }: Pick<StoredConversation, 'id' | 'createdAt'>,
  summary: string,
  throughSeq: number,
): boolean {
  const row = tables.conversations.get(id)
  if (row === undefined || row.createdAt !== createdAt) return false
  if (throughSeq < row.summarizedSeq) return true
  row.summary = summary
  row.summarizedSeq = Math.min(throughSeq, row.messageCount)
  return true
}

/** {@link ConversationStore.deleteConversation}, in memory. */
export function deleteConversation(tables: Tables, id: string): boolean {
  return tables.conversations.delete(id)
}

function createConversation(append: ConversationAppend): ConversationRecord {
  return {
    id: append.conversationId,
    agentId: append.agentId,
    userId: append.userId,
    title: append.title,
    summary: undefined,
    summarizedSeq: 0,
    createdAt: append.now,
    updatedAt: append.now,
    messages: [],
    messageCount: 0,
    messageIds: undefined,
  }
}

/** Newest first, then by id. */
function compare(a: { updatedAt: string; id: string }, b: { updatedAt: string; id: string }): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt > b.updatedAt ? -1 : 1
  if (a.id === b.id) return 0
  return a.id < b.id ? -1 : 1
}

function toConversation(row: ConversationRecord): StoredConversation {
  return {
    id: row.id,
    agentId: row.agentId,
    ...(row.userId !== undefined && { userId: row.userId }),
    ...(row.title !== undefined && { title: row.title }),
    ...(row.summary !== undefined && { summary: row.summary }),
    summarizedSeq: row.summarizedSeq,
    messageCount: row.messageCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}
