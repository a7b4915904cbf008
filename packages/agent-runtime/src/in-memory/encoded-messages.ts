import type { Json } from '@homeward/contract/agent-platform'
import type { ModelMessage, ToolCallPart, ToolResult } from '../ports/message.ts'
import { decodeJson, encodeJson, type EncodedJson } from './encoded-json.ts'

/**
 * A message as it is kept, or two: most messages of a run do nothing but make calls, and the next one gives what came of
 * them. As a row they take a third of the bytes, and of the time to write.
 */
type Kept = ModelMessage | TurnRow

/** Id, name, arguments and result of each call of a turn. */
type TurnRow = readonly Json[]
const cellsOfCall = 4

/** Writes the messages of a run as bytes. */
export function encodeMessages(messages: readonly ModelMessage[]): EncodedJson {
  const kept: Kept[] = []
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index]!
    const row = toRow(message, messages[index + 1])
    if (row !== undefined) index += 1
    kept.push(row ?? message)
  }
  return encodeJson(kept)
}

/** Reads what {@link encodeMessages} wrote, each time anew. */
export function decodeMessages(json: EncodedJson): ModelMessage[] {
  return decodeJson<Kept[]>(json).flatMap((kept) => ('role' in kept ? kept : toMessages(kept)))
}

/** Undefined when there is more than calls and what they gave, one for one. */
function toRow(message: ModelMessage, next: ModelMessage | undefined): TurnRow | undefined {
  if (message.role !== 'assistant' || next?.role !== 'tool') return undefined
  const { parts } = message
  const { results } = next
  if (parts.length !== results.length) return undefined
  const row: Json[] = []
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index]!
    const { id, name, result, error } = results[index]!
    if (part.type !== 'tool_call' || part.provider_data !== undefined) return undefined
    if (part.id !== id || part.name !== name || error !== undefined || result === undefined) return undefined
    row.push(id, name, part.args, result)
  }
  return row
}

function toMessages(row: TurnRow): ModelMessage[] {
  const parts: ToolCallPart[] = []
  const results: ToolResult[] = []
  for (let cell = 0; cell < row.length; cell += cellsOfCall) {
    const [id, name, args, result] = row.slice(cell, cell + cellsOfCall) as [string, string, Json, Json] // as written
    parts.push({ type: 'tool_call', id, name, args })
    results.push({ id, name, result })
  }
  return [
    { role: 'assistant', parts },
    { role: 'tool', results },
  ]
}
