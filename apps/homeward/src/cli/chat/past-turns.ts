import type { Conversation, Message } from '@homeward/contract/agent-platform'
import { cleanLine } from '../../terminal/clean-text.ts'
import { newTurn, type Turn, type TurnPart } from './turn.ts'

/** A message of the person, and the answer to it as far as there is one. */
export interface PastTurn {
  readonly task: string
  readonly files: readonly string[]
  readonly runId: string | undefined
  readonly turn: Turn
}

/** Turns of stored messages, oldest first. Messages before the first of the person are left out. */
export function toPastTurns(messages: readonly Message[]): readonly PastTurn[] {
  const turns: PastTurn[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (message.role === 'user') {
      const files = (message.files ?? []).map(({ name }) => name)
      const turn: Turn = { ...newTurn, status: 'completed' }
      turns.push({ task: message.content, files, runId: message.run_id, turn })
    } else if (last) turns[turns.length - 1] = { ...last, turn: addMessage(last.turn, message) }
  }
  return turns
}

function addMessage(turn: Turn, message: Message): Turn {
  if (message.role === 'tool') return { ...turn, parts: endCall(turn.parts, message) }
  const text: readonly TurnPart[] = message.content === '' ? [] : [{ kind: 'text', text: message.content }]
  const calls = (message.tool_calls ?? []).map(({ id, name, args }): TurnPart => ({
    kind: 'tool',
    callId: id,
    name,
    args,
    state: 'running',
  }))
  const files = (message.files ?? []).map(({ id, name, bytes }): TurnPart => ({
    kind: 'file',
    id,
    name,
    bytes,
  }))
  return {
    ...turn,
    parts: [...turn.parts, ...text, ...files, ...calls],
    sources: [...turn.sources, ...(message.sources ?? [])],
  }
}

function endCall(parts: readonly TurnPart[], { tool_call_id: id, content }: Message): readonly TurnPart[] {
  const index = parts.findLastIndex((part) => part.kind === 'tool' && part.callId === id)
  const part = parts[index]
  return part?.kind === 'tool' ? parts.with(index, { ...part, state: 'done', result: content }) : parts
}

/** Conversations as numbered lines, with the age of each. */
export function toConversationLines(
  conversations: readonly Conversation[],
  currentId: string | undefined,
  now: number,
): readonly string[] {
  return conversations.map(({ id, title, summary, message_count: count, updated_at: updatedAt }, index) => {
    const name = cleanLine(title ?? summary ?? 'Untitled').slice(0, 60)
    const mark = id === currentId ? ' (this one)' : ''
    return `${index + 1}. ${name}${mark}, ${toAge(now - Date.parse(updatedAt))}, ${toCount(count)}`
  })
}

const toCount = (count: number) => (count === 1 ? '1 message' : `${count} messages`)

/** A duration as people read it. */
export function toAge(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`
}
