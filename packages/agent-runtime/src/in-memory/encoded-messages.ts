import type { Json } from '@homeward/contract/agent-platform'
import type { AssistantPart, ModelMessage, ToolResult } from '../ports/message.ts'
import { decodeJson, encodeJson, type EncodedJson } from './encoded-json.ts'

/**
 * A message as it is kept. Most messages of a run do nothing but make calls or give their results: as rows they take
 * half the bytes, and half the time to write.
 */
type KeptMessage = ModelMessage | readonly [typeof calls | typeof results, ...cells: Json[]]

/** Begins a row of an assistant's message; id, name and arguments of each call follow. */
const calls = 0
/** Begins a row of a tool's message; id, name and what came of each call follow. */
const results = 1

/** Writes the messages of a run as bytes. */
export function encodeMessages(messages: readonly ModelMessage[]): EncodedJson {
  return encodeJson(messages.map(toKept))
}

/** Reads what {@link encodeMessages} wrote, each time anew. */
export function decodeMessages(json: EncodedJson): ModelMessage[] {
  return decodeJson<KeptMessage[]>(json).map((kept) => ('role' in kept ? kept : toMessage(kept)))
}

function toKept(message: ModelMessage): KeptMessage {
  if (message.role === 'user') return message
  return (message.role === 'tool' ? toResultRow(message.results) : toCallRow(message.parts)) ?? message
}

/** Undefined when there is more than calls, or more in them. */
function toCallRow(parts: readonly AssistantPart[]): KeptMessage | undefined {
  const row: [typeof calls, ...Json[]] = [calls]
  for (const part of parts) {
    if (part.type !== 'tool_call' || part.provider_data !== undefined) return undefined
    row.push(part.id, part.name, part.args)
  }
  return row
}

/** Undefined when one of them is an error, or nothing. */
function toResultRow(all: readonly ToolResult[]): KeptMessage | undefined {
  const row: [typeof results, ...Json[]] = [results]
  for (const { id, name, result, error } of all) {
    if (error !== undefined || result === undefined) return undefined
    row.push(id, name, result)
  }
  return row
}

function toMessage([kind, ...cells]: Exclude<KeptMessage, ModelMessage>): ModelMessage {
  const rows: { readonly id: string; readonly name: string; readonly value: Json }[] = []
  for (let index = 0; index < cells.length; index += 3) {
    const [id, name, value = null] = cells.slice(index, index + 3)
    rows.push({ id: id as string, name: name as string, value }) // as it was written
  }
  return kind === results
    ? { role: 'tool', results: rows.map(({ id, name, value }) => ({ id, name, result: value })) }
    : {
        role: 'assistant',
        parts: rows.map(({ id, name, value }) => ({ type: 'tool_call', id, name, args: value })),
      }
}
