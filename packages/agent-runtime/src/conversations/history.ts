import type {
  ConversationStore,
  StoredConversation,
  StoredMessage,
} from '../store/ports/conversation-store.ts'
import { fileTokens } from '../files/file-tokens.ts'
import type { FileReference } from '../ports/file.ts'
import type { ModelMessage } from '../ports/message.ts'
import { createReplacedCheck, inTurns } from './replaced-answers.ts'

/** What a model gets to see of a conversation's earlier messages. */
export interface History {
  /** The newest messages that fit, oldest first. Begins with a person's message, or at the conversation's start. */
  readonly messages: readonly StoredMessage[]
  /** Highest number among the messages that were left out; 0 when all are there. */
  readonly leftOutThrough: number
  /** What stands for those that were left out, as far as they were summed up. */
  readonly summary: string | undefined
}

/** How {@link loadHistory} measures. */
export interface HistoryOptions {
  /** Tokens that the messages may take. */
  readonly maxTokens: number
  /** Tokens of a text. */
  readonly estimateTokens: (text: string) => number
  /** Messages from this number on are left alone. @default none are */
  readonly beforeSeq?: number | undefined
  /** Ids of the runs in the conversation that have not ended: their questions are left out. Asked at most once. @default none */
  readonly listOpenRuns?: (() => Promise<ReadonlySet<string>>) | undefined
}

const pageSize = 100

/**
 * Loads the newest messages that fit, cut only between turns: a turn is a person's message with everything that
 * answers it, so a tool call is never parted from its result (A12). Of a question that was answered anew, the newest
 * answer counts.
 */
export async function loadHistory(
  store: Pick<ConversationStore, 'listMessages'>,
  conversation: StoredConversation,
  { maxTokens, estimateTokens, beforeSeq = Infinity, listOpenRuns }: HistoryOptions,
  signal?: AbortSignal,
): Promise<History> {
  const newest: StoredMessage[] = []
  let fitting = 0 // how many of `newest` make whole turns within the budget
  let tokens = conversation.summary ? estimateTokens(conversation.summary) : 0
  const isReplaced = createReplacedCheck()
  const ended = new Set<string>()
  let open: ReadonlySet<string> | undefined
  const isOpen = async ({ message, runId }: StoredMessage) => {
    if (runId === undefined || !listOpenRuns) return false
    if (message.role !== 'user') ended.add(runId)
    if (ended.has(runId)) return false
    open ??= await listOpenRuns()
    return open.has(runId)
  }
  let cursor: string | undefined
  do {
    const page = await store.listMessages(conversation.id, { limit: pageSize, cursor }, signal)
    for (const row of page.rows) {
      if (row.seq >= beforeSeq || isReplaced(row) || (await isOpen(row))) continue
      tokens += messageTokens(row.message, estimateTokens)
      if (tokens > maxTokens) return toHistory(newest, fitting, row.seq, conversation)
      newest.push(row)
      if (row.message.role === 'user') fitting = newest.length
    }
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { messages: inTurns(newest.toReversed()), leftOutThrough: 0, summary: undefined }
}

function toHistory(
  newest: readonly StoredMessage[],
  fitting: number,
  tooMuchSeq: number,
  { summary }: StoredConversation,
): History {
  const leftOutThrough = newest[fitting]?.seq ?? tooMuchSeq
  return { messages: inTurns(newest.slice(0, fitting).toReversed()), leftOutThrough, summary }
}

/** Tokens of a message, with a few for what surrounds it. */
function messageTokens(message: ModelMessage, estimateTokens: (text: string) => number): number {
  if (message.role === 'user') return estimateTokens(message.text) + tokensOf(message.files) + 4
  if (message.role === 'tool') {
    const files = message.results.reduce((sum, result) => sum + tokensOf(result.files), 0)
    return estimateTokens(JSON.stringify(message.results)) + files + 4
  }
  return message.parts.reduce((sum, part) => {
    if (part.type === 'source') return sum
    if (part.type === 'file') return sum + fileTokens(part) + 4
    return sum + estimateTokens('text' in part ? part.text : JSON.stringify(part)) + 4
  }, 4)
}

const tokensOf = (files: readonly FileReference[] = []) =>
  files.reduce((sum, file) => sum + fileTokens(file), 0)
