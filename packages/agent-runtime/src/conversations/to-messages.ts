import type { Conversation, Message } from '@homeward/contract/agent-platform'
import type { StoredConversation, StoredMessage } from '../store/ports/conversation-store.ts'
import { shownId } from '../store/own-conversation.ts'
import { toFileReference } from '../files/to-files.ts'
import { toReadableResult } from '../json/readable-result.ts'
import type { FileReference } from '../ports/file.ts'
import type { AssistantPart, HostedResultPart } from '../ports/message.ts'

/** A conversation as it is shown. */
export function toConversation(stored: StoredConversation): Conversation {
  return {
    id: shownId(stored.id),
    agent_id: stored.agentId,
    ...(stored.userId !== undefined && { user_id: stored.userId }),
    ...(stored.title !== undefined && { title: stored.title }),
    ...(stored.summary !== undefined && { summary: stored.summary }),
    message_count: stored.messageCount,
    ...(stored.activeRunId !== undefined && { active_run_id: stored.activeRunId }),
    ...(stored.activeRunStatus !== undefined && { active_run_status: stored.activeRunStatus }),
    created_at: stored.createdAt,
    updated_at: stored.updatedAt,
  }
}

/** A stored message as it is shown: each tool's result is a message of its own. Reasoning is for the model only. */
export function toMessages({ id, message, runId, createdAt }: StoredMessage): Message[] {
  const known = { ...(runId !== undefined && { run_id: runId }), created_at: createdAt }
  if (message.role === 'user') {
    const { text, files } = message
    return [{ id, role: 'user', content: text, ...toFiles(files), ...known }]
  }
  if (message.role === 'assistant') {
    return splitAtHosted(message.parts).map((piece, index): Message => {
      const own = index === 0 ? id : `${id}:${index}`
      if (Array.isArray(piece)) return { id: own, role: 'assistant', ...toContent(piece), ...known }
      const content = toText(toReadableResult(piece.result))
      return { id: own, role: 'tool', content, tool_call_id: piece.id, tool_name: piece.name, ...known }
    })
  }
  return message.results.map((result, index): Message => {
    const { id: tool_call_id, name: tool_name, files, sources } = result
    const content = result.error ?? toText(result.result)
    const own = index === 0 ? id : `${id}:${index}`
    return {
      id: own,
      role: 'tool',
      content,
      tool_call_id,
      tool_name,
      ...toFiles(files),
      ...(sources && { sources: [...sources] }),
      ...known,
    }
  })
}

const toFiles = (files: readonly FileReference[] = []): Pick<Message, 'files'> =>
  files.length > 0 ? { files: files.map(toFileReference) } : {}

/**
 * An answer in pieces: results of tools that the provider ran stand between them, each as a message of its own. All sources
 * are in the last piece.
 */
function splitAtHosted(parts: readonly AssistantPart[]): (AssistantPart[] | HostedResultPart)[] {
  const pieces: (AssistantPart[] | HostedResultPart)[] = [[]]
  for (const part of parts) {
    const last = pieces.at(-1)
    if (part.type === 'hosted_result') pieces.push(part)
    else if (part.type !== 'source' && Array.isArray(last)) last.push(part)
    else if (part.type !== 'source') pieces.push([part])
  }
  const answers = pieces.filter((piece) => Array.isArray(piece))
  answers.at(-1)?.push(...parts.filter(({ type }) => type === 'source'))
  return pieces
}

function toShownText(part: AssistantPart): string {
  if (part.type === 'refused') return part.note
  return part.type === 'text' ? part.text : ''
}

type ShownParts = Pick<Message, 'content' | 'tool_calls' | 'sources' | 'files'>

function toContent(parts: readonly AssistantPart[]): ShownParts {
  const content = parts.map(toShownText).join('')
  const calls = parts.filter((part) => part.type === 'tool_call' || part.type === 'hosted_call')
  const sources = parts.flatMap((part) => (part.type === 'source' ? [part] : []))
  const files = parts.flatMap((part) => (part.type === 'file' ? [part] : []))
  return {
    content,
    ...(calls.length > 0 && { tool_calls: calls.map(({ id, name, args }) => ({ id, name, args })) }),
    ...toFiles(files),
    ...(sources.length > 0 && {
      sources: sources.map(({ url, title }) => (title === undefined ? { url } : { url, title })),
    }),
  }
}

function toText(result: unknown): string {
  return typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
}
